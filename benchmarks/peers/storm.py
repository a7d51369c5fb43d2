"""One game by Storm: storm.py MODEL CONSTANTS PROPERTY [build].

Prints the stages parse, build and check, the answer, and the size of what was built; `build`
stops before the check. What is built is what the property needs, and the solver is the one
that Storm takes by default for floats without asking stormpy for sound bounds, which is as fast as
the others here or faster.
"""

from __future__ import annotations

import sys

from stages import Stages


def main() -> None:
    path, constants, asked = sys.argv[1:4]
    stages = Stages()
    with stages.stage("start"):
        import stormpy
    with stages.stage("parse"):
        program, _ = stormpy.instantiate_constants(stormpy.parse_prism_program(path), constants)
        properties = stormpy.parse_properties(asked, program)
    with stages.stage("build"):
        model = stormpy.build_model(program, properties)
    value = None
    if sys.argv[4:] != ["build"]:
        with stages.stage("check"):
            result = stormpy.model_checking(
                model,
                properties[0],
                only_initial_states=True,
                environment=stormpy.Environment(),
            )
            value = result.get_value(model.initial_states[0])
    stages.report(value=value, nodes=model.nr_states, edges=model.nr_transitions)


if __name__ == "__main__":
    main()
