"""What the tests of `assay serve --mcp` talk by: the client of PyPI's mcp."""

import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client


def fields(result: Any) -> dict[str, Any]:
    """What a tool answered. Fails where it refused."""
    assert not result.is_error, result
    return result.structured_content


def text(result: Any) -> str:
    return "".join(part.text for part in result.content)


def tells_nothing_secret(result: Any) -> None:
    """Neither a path of this machine, nor a seed."""
    said = str(result)
    assert not re.search(r"/(tmp|root|home|work|proc|usr/(lib|share))\b", said), said
    assert os.getcwd() not in said, said
    assert not re.search(r"[0-9a-f]{64}", said), said


@asynccontextmanager
async def serving(*words: str) -> AsyncIterator[Client]:
    server = StdioServerParameters(
        command="assay", args=["serve", "--mcp", *words], env=dict(os.environ)
    )
    async with Client(stdio_client(server, errlog=sys.stderr)) as client:
        yield client
