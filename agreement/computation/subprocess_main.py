"""The process of one cross-check: `python -m agreement.computation.subprocess_main REPORT`.

The other libraries take 130 MB, which a worker would keep for as long as it lives.
"""

import logging
import sys

import django


def main() -> None:
    """Cross-check the report of the command line."""
    django.setup()
    # Of no use to anybody: one of the libraries says which of its parts it uses.
    logging.disable(logging.INFO)
    from agreement.computation.crosscheck import report_crosscheck

    report_crosscheck(report_id=int(sys.argv[1]))


if __name__ == "__main__":
    main()
