"""All checks in the order in which one would look for a fault."""

from collections.abc import Callable

from operations.doctor import database, services, settings
from operations.doctor.findings import Finding, failed

CHECKS: tuple[tuple[str, Callable[[], Finding]], ...] = (
    ("debug", settings.debug),
    ("secret", settings.secret),
    ("hosts", settings.hosts),
    ("origins", settings.origins),
    ("tls", settings.tls),
    ("hsts", settings.hsts),
    ("database", database.reachable),
    ("migrations", database.migrations),
    ("rules", database.rules),
    ("sqlite", database.sqlite),
    ("backup", database.backup),
    ("second_factor", settings.second_factor),
    ("files", services.files),
    ("broker", services.broker),
    ("worker", services.worker),
    ("beat", services.beat),
    ("mail", settings.mail),
    ("encoder", services.encoder),
    ("clock", database.clock),
    ("proxy", services.proxy),
)


def examine() -> list[Finding]:
    """Run all checks. One that fails in a way nobody foresaw says so in place of ending the others."""
    found = []
    for name, check in CHECKS:
        try:
            found.append(check())
        except Exception as error:
            found.append(
                failed(
                    name,
                    f"The check itself failed ({type(error).__name__}).",
                    "Look first at what else is wrong here; report it if nothing is.",
                )
            )
    return found
