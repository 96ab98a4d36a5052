"""An agent that works on a problem, and tries what it may not."""

import asyncio
from pathlib import Path

from client import fields, serving, tells_nothing_secret, text
from mcp import MCPError

CHAIN = "problems/chain"
RIGHT = Path("fused.c").read_text()
WRONG = RIGHT.replace("* 3", "* 4")
BROKEN = RIGHT.replace("const float* x", "const flaot* x")


def kernel(code: str, language: str = "c", **more: str) -> dict[str, str]:
    return {"problem": CHAIN, "language": language, "code": code, **more}


async def main() -> None:
    async with serving("problems", "--jobs", "2", "--spend", "7-calls,1h", "--include", "headers") as client:
        print("server", client.server_info.name, client.protocol_version)
        tools = (await client.list_tools()).tools
        print("tools", *(tool.name for tool in tools))
        for tool in tools:
            assert not {"path", "seed", "policy"} & set(tool.input_schema["properties"]), tool

        print("problems", *fields(await client.call_tool("list"))["problems"])
        problem = await client.call_tool("get", {"problem": CHAIN})
        assert fields(problem)["source"] == Path("problems/chain.py").read_text()
        in_c = await client.call_tool("get", {"problem": CHAIN, "language": "c"})
        assert "int assay_kernel(const assay_call* call)" in text(in_c), text(in_c)
        assert "`factor.h`" in text(in_c), text(in_c)
        tells_nothing_secret([problem, in_c])

        # What it may not: it is told so, and nothing is judged.
        for name, arguments in [
            ("get", {"problem": "../../etc/passwd"}),
            ("get", {"problem": "problems/chian"}),
            ("check", {**kernel(RIGHT), "problem": str(Path("problems/chain.py").resolve())}),
            ("submit", kernel(RIGHT, seed="7" * 64)),
            ("submit", kernel(RIGHT, policy="kernelbench")),
            ("check", kernel(RIGHT, language="fortran")),
        ]:
            refused = await client.call_tool(name, arguments)
            assert refused.is_error, refused
            print(f"{name} refused:", text(refused).replace(str(Path.cwd()), "HERE"))
        try:
            await client.call_tool("time", kernel(RIGHT))  # nothing is timed here
        except MCPError as refused:
            print("time:", refused.error.code, refused.error.message)

        progress: list[float] = []

        async def told(now: float, _total: float | None, _message: str | None) -> None:
            progress.append(now)

        for what, code in [("broken", BROKEN), ("wrong", WRONG), ("right", RIGHT)]:
            checked = await client.call_tool("check", kernel(code), progress_callback=told)
            tells_nothing_secret(checked)
            words = await client.call_tool("feedback", {"problem": CHAIN})
            tells_nothing_secret(words)
            print(what, fields(checked)["verdict"], fields(checked)["reason"])
            print("  ", fields(words)["feedback"].splitlines()[0])
        assert progress == sorted(progress), progress

        # Several at once.
        codes = [WRONG, RIGHT, RIGHT]
        calls = (client.call_tool("submit", kernel(each)) for each in codes)
        submitted = [fields(each) for each in await asyncio.gather(*calls)]
        print("submitted", sorted((each["verdict"], each["counts"]) for each in submitted))
        assert sorted(each["submission"] for each in submitted) == [1, 2, 3]
        best = fields(await client.call_tool("best", {"problem": CHAIN}))["best"]
        assert [each["code"] for each in best] == [RIGHT], best
        left = fields(await client.call_tool("budget"))
        print("budget", left["calls_made"], left["calls_left"], left["submissions"])
        assert 0 < left["seconds_left"] < 3600
        assert not (await client.call_tool("check", kernel(RIGHT))).is_error
        refused = await client.call_tool("check", kernel(RIGHT))
        print("then", refused.is_error, text(refused))


asyncio.run(main())
