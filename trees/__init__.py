"""The bundled games: each in both notations, each with expectations of its own.

Data only. ``gametree trees`` lists them, ``gametree eval dice`` reads ``dice.yaml`` from here.
"""
