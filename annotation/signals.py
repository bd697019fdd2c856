"""The only way out of this app: what others may listen to."""

from django.dispatch import Signal

round_closed = Signal()
"""Sent inside the transaction that closes a round, with `round`: a listener may write rows that must
exist exactly when the round is closed, and enqueues its work on commit."""

items_held = Signal()
"""Sent with `project` and `items`, keys of its items, to ask what is built on them as they are: a listener
returns the name of what holds an item, by its key, for those that it holds."""
