# Needs make and Python 3.11 to 3.13; everything else is set up in .venv and var, below this folder.

PORT ?= 8000
PYTHON = .venv/bin/python

# Each folder whose code the server runs; `make dev` watches these.
APPS = config core annotation agreement assist exports scoring boards operations frontend

.PHONY: help demo dev test fuzz faults killed-runs lint

help:
	@echo "make demo          set up and run Elenchus with sample projects (make demo PORT=9000)"
	@echo "make dev           the same, started again whenever Python, a template or a script changes"
	@echo "make test          run all tests: on SQLite, again on PostgreSQL, with Redis and a browser"
	@echo "make test ARGS=... run what pytest is told, once, on SQLite: make test ARGS=\"tests/core -k lease\""
	@echo "make fuzz          import two thousand files made from valid ones by mutation"
	@echo "make faults        kill every process at random, a hundred times, while 20 clients work: half an hour"
	@echo "make killed-runs   kill the worker of a run of a language model, 20 times: some minutes"
	@echo "make lint          check style, types, migrations, static files and scripts"

demo:
	@sh tools/setup.sh requirements.txt
	@$(PYTHON) manage.py migrate --verbosity 0
	@$(PYTHON) manage.py load_sample
	@exec $(PYTHON) manage.py serve --port "$(PORT)" --sample-logins

dev:
	@sh tools/setup.sh requirements-dev.txt
	@$(PYTHON) manage.py migrate --verbosity 0
	@$(PYTHON) manage.py load_sample
	@exec $(PYTHON) -m watchfiles --target-type command --sigint-timeout 20 \
		'$(PYTHON) manage.py serve --port "$(PORT)" --sample-logins' $(APPS)

test:
	@sh tools/setup.sh requirements-dev.txt
	@exec $(PYTHON) -m tools.run_tests $(ARGS)

fuzz:
	@sh tools/setup.sh requirements-dev.txt
	@ELENCHUS_FUZZ_FILES=2000 exec $(PYTHON) -m pytest -q -n 0 tests/faults/test_mutated_files.py

faults:
	@sh tools/setup.sh requirements-dev.txt
	@exec $(PYTHON) -m tests.faults.kills

killed-runs:
	@sh tools/setup.sh requirements-dev.txt
	@exec $(PYTHON) -m tests.faults.killed_runs

lint:
	@sh tools/setup.sh requirements-dev.txt
	@exec $(PYTHON) -m tools.lint
