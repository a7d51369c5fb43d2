"""One canonical style for each notation: what ``gametree fmt`` writes."""

from __future__ import annotations

from .document import Document


def format_document(document: Document) -> str:
    """``document`` in the style of its own notation.

    Only layout changes: ``canonical`` of the document stays, every comment stays, and a
    second run changes nothing. Time linear in the document.
    """
    if document.notation == "text":
        from .text_writer import write_text

        return write_text(document)
    if document.notation == "json":
        from .json_writer import write_json

        return write_json(document)
    from .yaml_writer import write_yaml

    return write_yaml(document)
