"""Static files in production: hashed names, also inside ES modules."""

import re

from django.core.management import call_command


def test_es_modules_import_each_other_by_their_hashed_names(settings, tmp_path):
    source = tmp_path / "source" / "js"
    source.mkdir(parents=True)
    (source / "offsets.js").write_text("export const units = 1;\n")
    (source / "workspace.js").write_text('import { units } from "./offsets.js";\nconsole.log(units);\n')
    settings.STATICFILES_DIRS = [tmp_path / "source"]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATIC_ROOT = tmp_path / "static"
    hashed = {"BACKEND": "config.storage.HashedStaticStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": hashed}

    call_command("collectstatic", verbosity=0, interactive=False)

    offsets, workspace = (
        next(
            file
            for file in (tmp_path / "static" / "js").iterdir()
            if re.fullmatch(rf"{name}\.[0-9a-f]{{12}}\.js", file.name)
        )
        for name in ("offsets", "workspace")
    )
    assert f'from "./{offsets.name}";' in workspace.read_text()
