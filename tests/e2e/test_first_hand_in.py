"""A stranger reads a board, takes part, has a fault named, mends the file and sees the system ranked."""

import json
import re

import pytest
from playwright.sync_api import expect

from boards.life.boards import board_edit
from boards.life.placings import placing_run, standing_refresh
from boards.life.teams import board_invite
from boards.models import Placing
from tests.boards.made import handed_in, questions_board, reference, team
from tests.e2e.lead import looked_at

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_stranger_hands_in_a_first_file_and_sees_it_ranked(as_, browser, live_server, tmp_path):
    made, board = questions_board(entrance="invited")
    board_edit(board=board, entrance="anyone")
    team(board, "Harbour", "hal")
    stranger = browser.new_context(accept_downloads=True).new_page()
    stranger.goto(live_server.url)
    stranger.get_by_role("link", name="Which asks best?").click()
    expect(stranger.get_by_text("No system stands on this board yet.")).to_be_visible()
    with stranger.expect_download() as download:
        stranger.get_by_role("link", name="Download the template").click()
    template = json.loads(download.value.path().read_text())
    looked_at(stranger, "board-1-empty")
    token = board_invite(board=board, by=made.lead)[1]
    stranger.goto(f"{live_server.url}/join-board/{token}/")
    stranger.get_by_label("Username").fill("newcomer")
    stranger.get_by_label("Password", exact=True).fill("quite-long-9")
    stranger.get_by_label("Password confirmation").fill("quite-long-9")
    stranger.get_by_role("button", name="Make an account and take part").click()
    stranger.get_by_label("Name of your team").fill("Lakeside")
    stranger.get_by_role("button", name="Make the team").click()
    mine, last = tmp_path / "mine.json", list(template)[-1]
    for number, (item, entry) in enumerate(template.items()):
        texts = [reference(item, 0) if not number else f"Why {item}?", f"Who {item}?", f"When {item}?"]
        entry["cqs"] = [{"id": place, "cq": text} for place, text in enumerate(texts)]
    whole = json.dumps(template)
    template[last]["cqs"].pop()
    mine.write_text(json.dumps(template))
    stranger.get_by_label("File: drop it here").set_input_files(mine)
    stranger.get_by_label("Name of the system").fill("Gadfly")
    stranger.get_by_role("button", name="Hand it in").click()
    fault = stranger.get_by_role("row", name="mine.json")
    expect(fault).to_contain_text(last)
    expect(fault).to_contain_text("2 questions where 3 are asked for")
    expect(stranger.get_by_text("Left for you: 5 today, 10 in all.")).to_be_visible()
    looked_at(stranger, "board-2-fault")
    mine.write_text(whole)
    stranger.get_by_label("File: drop it here").set_input_files(mine)
    stranger.get_by_role("button", name="Hand it in").click()
    expect(stranger.get_by_text("waits to be scored, number 1 in the queue")).to_be_visible()
    placing_run(placing_id=Placing.objects.get().pk)
    # The page asks by itself until it is scored.
    expect(stranger.get_by_role("article", name="Gadfly")).to_contain_text("0.17")
    looked_at(stranger, "board-3-team")
    handed_in(board, {item: {"cqs": entry["cqs"][::-1]} for item, entry in json.loads(whole).items()}, "hal")
    standing_refresh(version_id=Placing.objects.first().version_id)
    stranger.get_by_role("link", name="The board").click()
    row = stranger.get_by_role("row", name=re.compile("Gadfly Lakeside"))
    expect(row).to_contain_text("0.17")
    expect(row.get_by_role("cell").first).to_have_text("1")
    looked_at(stranger, "board-4-ranked")
    stranger.context.close()
