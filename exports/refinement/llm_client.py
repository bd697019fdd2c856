"""The client of `assist.asking.llm_client` by the name under which refining knew it."""

from assist.asking.llm_client import (
    ANSWER_BYTES,
    Answer,
    Endpoint,
    Pause,
    Timing,
    Unanswered,
    ask_endpoint,
    chat_body,
)

__all__ = [
    "ANSWER_BYTES",
    "Answer",
    "Endpoint",
    "Pause",
    "Timing",
    "Unanswered",
    "ask_endpoint",
    "chat_body",
]
