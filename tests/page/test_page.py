"""The page in a real browser: what is there, how one gets around, and that no text of a stranger is
more than text."""

from __future__ import annotations

import math
import os
import re
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

import numpy as np
from browser import Browser
from PIL import Image
from runs import (
    IMAGE,
    NAMES_HTML,
    SCRIPT,
    RealRun,
    comparison_page,
    filled_page,
    networks_page,
    phases_page,
    search_page,
    standings_page,
    worse_run,
)
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

APPROVED = Path(__file__).resolve().parent / "approved"
WIDTHS = {"wide": (1280, 900), "phone": (390, 800)}
VIEWS = ["overview", "attempts", "matrix", "speed"]
# Of the picture: glyphs differ by a pixel from one Chromium to the next.
MOST_PIXELS_THAT_DIFFER = 0.02
SMALL = 60
LARGE = 5000
# Of each that was timed in the filled runs: what a call took, and takes at least by its roofline.
CALL_NS, BOUND_NS = 75_000, 20_000
LONG = 500  # pixels: a line across a chart


class Page(unittest.TestCase):
    scratch: tempfile.TemporaryDirectory[str]
    real: Path
    small: Path
    large: Path
    comparison: Path
    standings: Path
    search_of_models: Path
    networks: Path
    browser: Browser
    live: list[tuple[str, str, str]]  # what was seen of the real run while it went on

    @classmethod
    def setUpClass(cls) -> None:
        cls.scratch = tempfile.TemporaryDirectory(prefix="assay-page-")
        folder = Path(cls.scratch.name)
        cls.browser = Browser()
        run = RealRun(folder)
        cls.live = cls.watch(run)
        cls.real = run.page()
        cls.small = filled_page(folder, SMALL)
        cls.large = filled_page(folder, LARGE)
        worse_run(folder, SMALL)
        cls.comparison = comparison_page(folder, SMALL)
        cls.standings = standings_page(folder, SMALL)
        cls.search_of_models = search_page(folder)
        cls.networks = networks_page(folder)

    @classmethod
    def watch(cls, run: RealRun) -> list[tuple[str, str, str]]:
        """The state, how many attempts there are, and the rows, each time that one changed."""
        seen: list[tuple[str, str, str]] = []
        cls.browser.go_offline(False)
        cls.browser.open(run.address, "#attempts")
        cls.browser.run("window.isTheSamePage = true")
        while run.goes_on():
            now = (
                cls.browser.text(".live"),
                cls.browser.text(".total"),
                " ".join(cls.browser.texts(".attempts tbody td[data-column=verdict]")),
            )
            if not seen or seen[-1] != now:
                seen.append(now)
            time.sleep(0.05)
        lost = cls.browser.wait(
            lambda: cls.browser.run("return document.querySelector('[data-state=lost]')?.innerText")
        )
        rows = " ".join(cls.browser.texts(".attempts tbody tr"))
        seen.append((str(lost), cls.browser.text(".total"), rows))
        if not cls.browser.run("return window.isTheSamePage === true"):
            seen.append(("the page was loaded anew", "", ""))
        cls.browser.go_offline(True)
        return seen

    @classmethod
    def tearDownClass(cls) -> None:
        cls.browser.quit()
        cls.scratch.cleanup()

    def setUp(self) -> None:
        self.browser.prefer("light")
        self.browser.console()
        self.browser.requests()

    def tearDown(self) -> None:
        """Each test ends without a word on the console, and has asked nobody for anything."""
        self.assertEqual(self.browser.console(), [])
        asked = [url for url in self.browser.requests() if not url.startswith(("file:", "about:"))]
        self.assertEqual(asked, [])

    def rows(self) -> list[str]:
        return self.browser.texts(".attempts tbody tr")

    def total(self) -> str:
        return self.browser.text(".total")

    def search(self, words: str) -> None:
        field = self.browser.driver.find_element(By.ID, "search")
        field.clear()
        field.send_keys(words)

    # -- what is there

    def test_the_first_view_says_what_came_of_the_run_and_what_to_look_at(self) -> None:
        self.browser.open(self.real)
        said = self.browser.text("main")
        self.assertIn("2 of 5 attempts passed", said)
        self.assertIn("Action required", said)
        self.assertIn("verify: wrong", said)
        self.assertIn("compile: build", said)
        self.browser.driver.find_element(By.CSS_SELECTOR, ".tile[data-kind=rejected]").click()
        self.browser.wait(lambda: self.rows())
        self.assertEqual(self.total(), "1 of 5 attempts")

    def test_an_attempt_has_its_sentence_evidence_source_and_replay(self) -> None:
        self.browser.open(self.real, "#attempts?q=wrong")
        self.browser.driver.find_element(By.LINK_TEXT, "relu").click()
        self.browser.wait(lambda: self.browser.text(".sentence"))
        self.assertRegex(
            self.browser.text(".sentence"), r"^Rejected \(verify: wrong\): its error is"
        )
        self.assertIn("assay run", self.browser.text(".command"))
        self.assertTrue(self.browser.texts(".bars .bar"))
        self.assertIn("torch.relu(x * 2)[:, :999]", self.browser.text(".source"))
        self.assertIn("wrong.py", self.browser.text("main"))
        self.assertRegex(
            self.browser.text(".mismatch"), r"at \[\d+, 999\] of output 0.*\n.*candidate"
        )

    def test_a_compile_error_stands_at_its_line(self) -> None:
        self.browser.open(self.real, "#attempts?verdict=failed&q=build")
        self.browser.driver.find_element(By.LINK_TEXT, "relu").click()
        self.browser.wait(lambda: self.browser.texts(".line.bad"))
        self.assertIn("call->no_such_field", self.browser.text(".line.bad"))
        self.assertIn("no_such_field", self.browser.text(".source .error"))

    def test_what_was_timed_has_its_interval_and_its_windows(self) -> None:
        self.browser.open(self.real, "#attempts?q=right")
        self.browser.driver.find_element(By.LINK_TEXT, "relu").click()
        self.browser.wait(lambda: self.browser.texts(".chart svg"))
        said = self.browser.text("main")
        self.assertIn("Speed-up over it", said)
        self.assertRegex(said, r"\d+x to \d")
        self.assertIn("Windows", said)

    def test_phases_of_the_compiler_open_with_what_they_changed(self) -> None:
        self.browser.open(phases_page(Path(self.scratch.name)), "#attempts")
        self.browser.driver.find_element(By.PARTIAL_LINK_TEXT, "softmax_").click()
        self.browser.wait(lambda: self.browser.texts("details.phase"))
        phases = self.browser.driver.find_elements(By.CSS_SELECTOR, "details.phase")
        self.assertGreater(len(phases), 8)
        (flow,) = [each for each in phases if each.text.split()[1] == "flow:"]
        self.assertIn("operations", flow.text)
        flow.find_element(By.TAG_NAME, "summary").click()
        self.assertIn("flow.executable", flow.find_element(By.CSS_SELECTOR, ".diff .added").text)

    def test_networks_stand_beside_their_compilers_and_have_curves_of_memory(self) -> None:
        self.browser.open(self.networks, "#matrix")
        times = "[aria-label='Time of one call, problems by authors']"
        self.assertEqual(self.browser.texts(f"{times} thead th"), ["Problem", "eager", "iree"])
        lines = self.browser.texts(f"{times} tbody tr")
        self.assertEqual([line.split()[0] for line in lines], ["tiny/conv", "tiny/mm", "mean"])
        for line in lines[:2]:
            self.assertEqual(len(re.findall(r"[\d.]+ [mnu]?s\b", line)), 2, line)
        self.assertRegex(lines[2], r"mean of 2\s+1\.00x\s+[\d.]+x")
        self.assertEqual(self.browser.serious_faults(), [])
        self.browser.driver.find_element(By.CSS_SELECTOR, f"{times} tbody td:last-child a").click()
        self.browser.wait(lambda: self.browser.text(".sentence"))
        (curve,) = [
            each
            for each in self.browser.driver.find_elements(By.TAG_NAME, "figure")
            if each.text.startswith("Memory")
        ]
        self.browser.run("arguments[0].scrollIntoView()", curve)
        lines = self.browser.wait(
            lambda: [
                each.get_attribute("d")
                for each in curve.find_elements(By.CSS_SELECTOR, "svg path[fill=none]")
            ]
        )
        # At least one goes on from where it began: it is a line, and no frame or axis.
        self.assertTrue(any(line.count("L") + line.count(" ") > 4 for line in lines), lines)
        for stage in ("export", "compile", "verify"):
            self.assertIn(stage, curve.text)
        self.assertRegex(curve.text, r"[MG]iB")
        self.assertEqual(self.browser.serious_faults(), [])

    def test_each_time_stands_as_far_below_its_roof_as_its_call_takes_longer(self) -> None:
        self.browser.open(self.small, "#speed")
        (roofline,) = [
            each
            for each in self.browser.driver.find_elements(By.TAG_NAME, "figure")
            if each.text.startswith("Roofline")
        ]
        self.browser.run("arguments[0].scrollIntoView()", roofline)

        def paths(what: str) -> list[str]:
            found = roofline.find_elements(By.CSS_SELECTOR, f"svg path{what}")
            return [str(each.get_attribute("outerHTML")) for each in found]

        points = [
            (round(float(x)), float(y))
            for path in self.browser.wait(lambda: paths("[transform]"))
            for x, y in re.findall(r"matrix\([\d.]+,0,0,[\d.]+,([\d.]+),([\d.]+)\)", path)
        ]
        times = self.browser.run(
            "return document.body.innerText.match(/(\\d+) faster, (\\d+) equal, (\\d+) slower/)"
        )
        self.assertEqual(len(points), sum(int(each) for each in times[1:]))
        roof, lines = {}, []
        for path in paths("[fill=none]"):
            ends = re.findall(r"[ML]([\d.]+) ([\d.]+)", path)
            if len(ends) > 2:
                roof = {round(float(x)): float(y) for x, y in ends}
            elif len({y for _, y in ends}) == 1 and float(ends[1][0]) - float(ends[0][0]) > LONG:
                lines.append(float(ends[0][1]))
        decade = abs(lines[0] - lines[1])  # of GFLOP/s: a line each
        for x, y in points:
            self.assertAlmostEqual(y - roof[x], decade * math.log10(CALL_NS / BOUND_NS), delta=1)

    # -- while it goes on

    def test_attempts_appear_while_a_run_goes_on(self) -> None:
        totals = [total for _, total, _ in self.live]
        steps = list(dict.fromkeys(totals))
        self.assertGreater(len(steps), 2, self.live)
        self.assertEqual(steps[-1], "5 attempts")
        self.assertTrue(any("verify: " in line for line, _, _ in self.live), self.live)
        self.assertTrue(any("of 5 attempts" in line for line, _, _ in self.live), self.live)
        line, _, rows = self.live[-1]
        self.assertIn("No connection", line)
        for word in ("rejected (verify: wrong)", "failed (compile: build)", NAMES_HTML):
            self.assertIn(word, rows)

    # -- several runs, and searches

    def test_a_comparison_shows_what_is_broken_first(self) -> None:
        self.browser.open(self.comparison)
        self.assertIn("3 attempts broken", self.browser.text("main"))
        kinds = self.browser.texts(".compared tbody td:first-child")
        self.assertEqual(kinds[:3], ["broken"] * 3)
        self.assertNotIn("broken", kinds[3:])
        self.assertIn(SCRIPT, self.browser.text(".compared tbody"))
        costs = self.browser.texts(".costs tbody tr")
        self.assertEqual(len(costs), 1, costs)
        self.assertIn("(5.00)", costs[0])
        self.assertIsNone(self.browser.run("return window.hostile ?? null"))
        self.assertEqual(self.browser.run("return document.images.length"), 0)
        self.browser.driver.find_element(By.CSS_SELECTOR, ".tile[href*=broken]").click()
        self.browser.wait(lambda: self.total().startswith("3 of"))
        self.assertEqual(self.browser.serious_faults(), [])

    def test_standings_rank_the_entrants_and_match_each_with_each(self) -> None:
        self.browser.open(self.standings)
        entrants = self.browser.texts(".standings tbody td:first-child")
        self.assertGreater(len(entrants), 1)
        self.assertIn("WORSE", entrants[-1])
        self.assertIn("right alone", self.browser.text(".matrix"))
        self.assertEqual(self.browser.serious_faults(), [])

    def test_a_search_is_a_tree_of_answers(self) -> None:
        self.browser.open(self.search_of_models, "#search")
        self.assertIn("1 search", self.browser.text("main h2"))
        self.assertEqual(len(self.browser.texts(".answers li")), 2)
        self.assertIn("1: draft", self.browser.text(".answers"))
        self.assertEqual(self.browser.serious_faults(), [])

    # -- getting around

    def test_search_filters_and_sorting_are_in_the_address(self) -> None:
        self.browser.open(self.large, "#attempts")
        self.assertEqual(self.total(), f"{LARGE} attempts")
        self.search("problem_000009 a100")
        self.assertEqual(self.total(), f"1 of {LARGE} attempts")
        self.assertEqual(
            self.browser.run("return location.hash"), "#attempts?q=problem_000009+a100"
        )
        self.browser.open(self.large, "#attempts?outcome=slower,equal&target=rvv&sort=-ratio")
        self.assertRegex(self.total(), rf"^\d+ of {LARGE} attempts$")
        ratios = [
            float(each.rstrip("x")) for each in self.browser.texts("tbody td[data-column=ratio]")
        ]
        self.assertEqual(ratios, sorted(ratios, reverse=True))
        self.assertLess(max(ratios), 1.06)
        self.browser.driver.find_element(By.XPATH, "//th//button[contains(., 'Speed-up')]").click()
        self.assertIn("sort=ratio", self.browser.run("return location.hash"))
        rising = [
            float(each.rstrip("x")) for each in self.browser.texts("tbody td[data-column=ratio]")
        ]
        self.assertEqual(rising, sorted(rising))

    def test_back_leads_to_the_view_before_as_it_was(self) -> None:
        self.browser.open(self.small, "#attempts?verdict=failed")
        before = self.rows()
        self.browser.driver.find_element(By.CSS_SELECTOR, ".attempts tbody a").click()
        self.browser.wait(lambda: self.browser.text(".sentence"))
        self.browser.driver.back()
        self.browser.wait(lambda: self.rows())
        self.assertEqual(self.rows(), before)

    def test_thousands_of_rows_are_in_the_page_only_where_they_are_in_sight(self) -> None:
        self.browser.open(self.large, "#attempts")
        self.assertLess(len(self.rows()), 100)
        self.browser.run("document.querySelector('.rows').scrollTop = 1e9")
        last = self.browser.wait(
            lambda: [
                row for row in self.rows() if "problem_000998" in row or "problem_000999" in row
            ]
        )
        self.assertTrue(last)
        self.assertLess(len(self.rows()), 100)

    def test_columns_can_be_chosen(self) -> None:
        self.browser.open(self.small, "#attempts?columns=id,compile_ns")
        self.assertEqual(self.browser.texts(".attempts th"), ["Attempt", "Compile"])

    def test_all_can_be_done_with_the_keyboard(self) -> None:
        self.browser.open(self.small)

        def press(*keys: str) -> None:
            ActionChains(self.browser.driver).send_keys(*keys).perform()

        def tab_to(text: str) -> None:
            for _ in range(60):
                press(Keys.TAB)
                if self.browser.run("return document.activeElement.innerText") == text:
                    return
            self.fail(f"no tab leads to {text}")

        tab_to("Attempts")
        press(Keys.ENTER)
        self.browser.wait(lambda: self.rows())
        for _ in range(60):
            press(Keys.TAB)
            if self.browser.run("return document.activeElement.id") == "search":
                break
        press("problem_000003 rvv")
        self.browser.wait(lambda: self.total() == "1 of 60 attempts")
        tab_to("Verdict")
        press(Keys.ENTER)
        self.assertIn("sort=verdict", self.browser.run("return location.hash"))
        tab_to("problem_000003")
        press(Keys.ENTER)
        self.assertIn("RuntimeError", self.browser.wait(lambda: self.browser.text(".sentence")))

    # -- strangers

    def test_hostile_text_is_text(self) -> None:
        for address in (
            "",
            "#attempts?columns=problem,author,verdict,error,id",
            "#matrix",
            "#speed",
        ):
            self.browser.open(self.real, address)
            self.assertIsNone(self.browser.run("return window.hostile ?? null"), address)
            self.assertEqual(self.browser.run("return document.images.length"), 0)
        self.browser.go("#attempts")
        for id_ in self.browser.run(
            "return [...document.querySelectorAll('tbody a')].map((each) => each.hash)"
        ):
            self.browser.go(id_)
            self.browser.wait(lambda: self.browser.text(".sentence"))
            self.assertIsNone(self.browser.run("return window.hostile ?? null"), id_)
            self.assertEqual(self.browser.run("return document.images.length"), 0)
        self.browser.go("#attempts?q=wrong")
        self.browser.driver.find_element(By.LINK_TEXT, "relu").click()
        self.browser.wait(lambda: self.browser.text(".source"))
        self.assertIn(SCRIPT, self.browser.text(".source"))
        self.assertIn(IMAGE, self.browser.text(".source"))
        self.browser.go("#attempts?q=build")
        self.browser.driver.find_element(By.LINK_TEXT, "relu").click()
        self.browser.wait(lambda: self.browser.text(".source"))
        self.assertIn(NAMES_HTML, self.browser.text("main"))

    # -- how it looks

    def test_no_serious_fault_for_those_who_see_or_move_otherwise(self) -> None:
        for scheme in ("light", "dark"):
            self.browser.prefer(scheme)
            for view in VIEWS:
                self.browser.open(self.small, f"#{view}")
                self.assertEqual(self.browser.serious_faults(), [], f"{view}, {scheme}")
            self.browser.open(self.real, "#attempts?q=wrong")
            self.browser.driver.find_element(By.LINK_TEXT, "relu").click()
            self.browser.wait(lambda: self.browser.text(".source"))
            self.assertEqual(self.browser.serious_faults(), [], f"an attempt, {scheme}")

    def test_it_looks_as_approved(self) -> None:
        """ASSAY_APPROVE=1 takes what is there now, to be looked at before it is committed."""
        for width, (pixels, height) in WIDTHS.items():
            for view in VIEWS:
                self.browser.open(self.small, f"#{view}", pixels, height)
                self.compare(f"{view}-{width}", self.browser.picture())
        self.browser.prefer("dark")
        self.browser.open(self.small, "#overview", *WIDTHS["wide"])
        self.compare("overview-dark", self.browser.picture())

    def compare(self, name: str, now: np.ndarray[Any, Any]) -> None:
        path = APPROVED / f"{name}.png"
        if os.environ.get("ASSAY_APPROVE"):
            APPROVED.mkdir(exist_ok=True)
            Image.fromarray(now).quantize(64).save(path, optimize=True)
            return
        approved = np.asarray(Image.open(path).convert("RGB")).astype(int)
        self.assertEqual(now.shape, approved.shape, name)
        differ = (np.abs(now.astype(int) - approved).max(axis=2) > 48).mean()
        if differ > MOST_PIXELS_THAT_DIFFER:
            kept = Path(tempfile.gettempdir()) / f"assay-page-{name}.png"
            Image.fromarray(now).save(kept)
            self.fail(f"{100 * differ:.1f} % of {name} differ from {path}; it is {kept} now")


if __name__ == "__main__":
    unittest.main()
