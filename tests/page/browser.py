"""Chromium without a window and without a network, as the tests of the page drive it."""

from __future__ import annotations

import base64
import io
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

AXE = Path(__file__).resolve().parents[2] / "web/node_modules/axe-core/axe.min.js"
T = TypeVar("T")


class Browser:
    def __init__(self) -> None:
        options = Options()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
            options.add_argument(argument)
        options.add_argument("--force-device-scale-factor=1")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.devtools("Network.enable")
        self.go_offline(True)

    def go_offline(self, is_offline: bool) -> None:
        """From then on whatever is asked for fails, as it does for a reader in a train."""
        throughput = 0 if is_offline else -1
        self.devtools(
            "Network.emulateNetworkConditions",
            offline=is_offline,
            latency=0,
            downloadThroughput=throughput,
            uploadThroughput=throughput,
        )

    def devtools(self, command: str, **arguments: Any) -> Any:
        return self.driver.execute_cdp_cmd(command, arguments)

    def quit(self) -> None:
        self.driver.quit()

    def open(
        self, page: Path | str, address: str = "", width: int = 1280, height: int = 900
    ) -> None:
        """Shows the page anew, and waits until it is there."""
        self.driver.set_window_size(width, height)
        self.driver.get("about:blank")
        self.driver.get((page.as_uri() if isinstance(page, Path) else page) + address)
        self.wait(lambda: self.run("return document.documentElement.dataset.ready === 'yes'"))

    def go(self, address: str) -> None:
        """As a link does."""
        before = self.run("return document.getElementById('view').firstChild")
        self.run("location.hash = arguments[0]", address)
        self.wait(lambda: self.run("return document.getElementById('view').firstChild") != before)

    def wait(self, condition: Callable[[], T], seconds: float = 10) -> T:
        end = time.monotonic() + seconds
        while not (found := condition()):
            if time.monotonic() > end:
                raise AssertionError(
                    f"waited for {seconds} s in vain; the console: {self.console()}"
                )
            time.sleep(0.02)
        return found

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def text(self, selector: str = "body") -> str:
        """As it is seen."""
        found = self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)
        return str(found)

    def texts(self, selector: str) -> list[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map((each) => each.innerText)"
        return [str(each) for each in self.run(script, selector)]

    def console(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last time."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def prefer(self, scheme: str) -> None:
        self.devtools(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def picture(self) -> np.ndarray[Any, Any]:
        """What is in the window, as height x width x 3 bytes."""
        png = base64.b64decode(self.driver.get_screenshot_as_base64())
        return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))

    def serious_faults(self) -> list[str]:
        """That axe-core finds: WCAG 2.1, levels A and AA."""
        self.run(AXE.read_text())
        script = """
          const done = arguments[arguments.length - 1];
          axe.run(document, {resultTypes: ["violations"]}).then((found) => done(found.violations));
        """
        violations = self.driver.execute_async_script(script)
        return [
            f"{each['id']}: {each['nodes'][0]['html'][:200]}"
            for each in violations
            if each["impact"] in ("serious", "critical")
        ]
