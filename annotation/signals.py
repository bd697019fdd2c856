"""The only way out of this app: what others may listen to."""

from django.dispatch import Signal

round_closed = Signal()
"""Sent inside the transaction that closes a round, with `round`: a listener may write rows that must
exist exactly when the round is closed, and enqueues its work on commit."""
