"""What the description of the API says of every address alike."""

from typing import Any

REFUSAL = {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}}
ALWAYS = {
    "400": "The request cannot be read: its address, a header or its body.",
    "403": "Not logged in (`not_authenticated`), or not allowed.",
    "503": "The database does not answer, or the disk is full: try again after `Retry-After` seconds.",
}
BELOW_SOMETHING = {
    "404": "No such thing in what you may see.",
    "409": "The state of things forbids it; `message` says what to do.",
}
WITH_A_BODY = {
    "413": "The request is larger than the server takes.",
    "415": "The body is of a kind that the server does not read.",
}


def describe_refusals(result: dict[str, Any], **_given: Any) -> dict[str, Any]:
    """Describe for each address the refusals that any may answer with; what a view says itself stays.

    A hook of drf-spectacular. Views name what is particular to them.
    """
    for path, operations in result["paths"].items():
        for operation in operations.values():
            told = dict(ALWAYS)
            if "{" in path or any(one["in"] == "query" for one in operation.get("parameters", ())):
                told |= BELOW_SOMETHING
            if "requestBody" in operation:
                told |= WITH_A_BODY
            for status, words in told.items():
                operation["responses"].setdefault(status, {"description": words, "content": REFUSAL})
    return result
