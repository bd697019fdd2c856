"""The only way out of this app: what others may listen to."""

from django.dispatch import Signal

round_closed = Signal()
"""Sent inside the transaction that closes a round, with `round`: a listener may write rows that must
exist exactly when the round is closed, and enqueues its work on commit."""

suggestions_asked = Signal()
"""Sent as a lead opens a `round` with suggestions, with the number of a `run`: a listener that knows the run
returns the name of its model, or raises Refused where it cannot be used."""

suggestions_read = Signal()
"""Sent while a `round` is opened with suggestions, with what is `asked` of each item by its key: a listener
returns, by item, what the round's run answered (`annotation.rounds.suggestions.SuggestedAnswer`)."""

items_held = Signal()
"""Sent with `project` and `items`, keys of its items, to ask what is built on them as they are: a listener
returns the name of what holds an item, by its key, for those that it holds."""

filters_asked = Signal()
"""Sent with `project` to ask which items a filter marked: a listener returns the condition on items that one
is marked, or None where it marks none of them."""

import_undoing = Signal()
"""Sent inside the transaction that takes an import back, with `brought_by`: a listener raises Refused where
something is built on an item or question of it."""

item_erasing = Signal()
"""Sent inside the transaction that erases an item for good, with `item` as it is before: a listener makes
blocks of what it has of the text, and returns the names of what it took down, such as a release's."""

project_deleting = Signal()
"""Sent before the rows of a `project` are deleted: a listener deletes its files."""

account_erasing = Signal()
"""Sent inside the transaction that deletes an account for good, with `user`: a listener deletes or empties
what names them, since rows that refer to an account keep it from being deleted."""

own_data_asked = Signal()
"""Sent with `user` to ask what is stored of them: a listener returns rows as dictionaries, by the name of
a table."""
