"""What boards have of a person: told to whom it is about, and emptied where their account is erased."""

from typing import Any

from boards.models import BoardInvitation, Entry, FrontPage, TeamMember


def forget_account(*, user: Any, **_signal: Any) -> None:
    """Take a person out of their teams; these and what they handed in stay, under the team's name alone."""
    TeamMember.objects.filter(user=user).delete()
    BoardInvitation.objects.filter(used_by=user).delete()
    Entry.objects.filter(created_by=user).update(created_by=None)
    FrontPage.objects.filter(user=user).update(user=None)


def own_rows(*, user: Any, **_signal: Any) -> dict[str, list[dict[str, Any]]]:
    """Return the teams that a person is in, and what they handed in."""
    teams = TeamMember.objects.filter(user=user).order_by("pk").select_related("board__project", "team")
    entries = Entry.objects.filter(created_by=user).order_by("pk").select_related("board__project", "team")
    return {
        "boards": [
            {
                "board": str(one.board),
                "title": one.board.title,
                "team": one.team.name,
                "since": one.created_at,
            }
            for one in teams
        ],
        "submissions": [
            {
                "board": str(entry.board),
                "team": entry.team.name,
                "system": entry.name,
                "line": entry.line,
                "link": entry.link,
                "handed in": entry.created_at,
                "withdrawn": entry.withdrawn_at,
            }
            for entry in entries
        ],
    }
