"""Static files in production: hashed names, also inside ES modules."""

import re

from django.core.management import call_command


def test_our_es_modules_import_each_other_by_their_hashed_names_and_others_stay_as_they_are(
    settings, tmp_path
):
    source = tmp_path / "source" / "frontend"
    source.mkdir(parents=True)
    (source / "offsets.js").write_text("export const units = 1;\n")
    (source / "workspace.js").write_text('import { units } from "./offsets.js";\nconsole.log(units);\n')
    package = tmp_path / "source" / "package"
    package.mkdir()
    (package / "lazy.js").write_text('/** import("./missing.js") */\nimport "./also-missing.js";\n')
    settings.STATICFILES_DIRS = [tmp_path / "source"]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATIC_ROOT = tmp_path / "static"
    hashed = {"BACKEND": "config.storage.HashedStaticStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": hashed}

    call_command("collectstatic", verbosity=0, interactive=False)

    offsets, workspace = (
        next(
            file
            for file in (tmp_path / "static" / "frontend").iterdir()
            if re.fullmatch(rf"{name}\.[0-9a-f]{{12}}\.js", file.name)
        )
        for name in ("offsets", "workspace")
    )
    assert (tmp_path / "static/package/lazy.js").read_text() == (package / "lazy.js").read_text()
    assert f'from "./{offsets.name}";' in workspace.read_text()
