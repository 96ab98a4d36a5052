"""What the runs of a part come to: a row for each attack, the spread of timing over launches."""

import math
import random
import statistics
from collections.abc import Callable
from typing import Any

from study_analysis import error_of_pairs, of_twice, verdicts

Row = dict[str, Any]
Experiments = dict[str, list[dict[str, Any]]]

# The windows that count against attacks: all inputs written behind t0, ended by the copy engine.
JUDGES = {"clock": "judge", "start": "whole_inside", "end": "engine"}


def last_rows(experiments: Experiments, name: str, **wanted: Any) -> list[Row]:
    runs = experiments.get(name)
    rows = runs[-1]["rows"] if runs else []
    return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]


def against(attack: str, naive: Row | None, judged: Row, notes: str = "") -> Row:
    accepted = judged["accepted"]
    return {
        "row": "attack",
        "attack": attack,
        "work_us": judged["work_us"],
        "naive_gain": naive["gain"] if naive else None,
        "naive_accepted": naive["accepted"] if naive else None,
        "judge_gain": judged["gain"],
        "judge_gained_us_most": judged.get("gained_us_most"),
        "judge_accepted": accepted,
        "judge_saw_wrong": accepted < judged["windows"],
        "trials": judged["windows"],
        "notes": notes,
    }


def ends(experiments: Experiments) -> list[Row]:
    found = []
    for judged in last_rows(experiments, "ends", row="end", **JUDGES):
        act = judged["act"]
        if act in ("honest", "nearly_done"):
            continue
        same = {"act": act, "work_us": judged["work_us"], "clock": "naive"}
        naive = last_rows(experiments, "ends", row="end", **same)
        found.append(against(act, naive[0], judged))
    for judged in last_rows(experiments, "residue", act="nearly_done"):
        attack = f"nearly_done, {judged['early_us']} us early"
        found.append(against(attack, None, judged))
    for judged in last_rows(experiments, "gates", act="arm_nearly", end="engine"):
        attack = f"gated, word before the last {judged['calls_behind']} calls"
        found.append(against(attack, None, judged, f"{judged['work_us']:.0f} us a call"))
    return found


def starts(experiments: Experiments) -> list[Row]:
    found = []
    for judged in last_rows(experiments, "starts", row="start", **JUDGES):
        if judged["act"] == "honest":
            continue
        same = {"act": judged["act"], "work_us": judged["work_us"]}
        naive = last_rows(experiments, "starts", row="start", clock="naive", **same)
        few = last_rows(experiments, "starts", row="start", start="scatter_inside", **same)
        notes = f"a probe before took {judged['probe_us']:.0f} us"
        if few:
            notes += (
                f"; one input in a hundred fresh: accepted {few[0]['accepted']} of "
                f"{few[0]['windows']}, gain {few[0]['gain']}"
            )
        found.append(against(judged["act"], naive[0] if naive else None, judged, notes))
    return found


def stale(experiments: Experiments) -> list[Row]:
    found = []
    for judged in last_rows(experiments, "stale", row="stale", clock="judge"):
        act = judged["act"]
        if act == "honest":
            continue
        naive = last_rows(experiments, "stale", row="stale", act=act, clock="naive")
        few = last_rows(experiments, "stale", row="stale_one_in_a_hundred", act=act)
        notes = f"one input in a hundred fresh: accepted {few[0]['accepted']} of 20" if few else ""
        found.append(against(act, naive[0], judged, notes))
    return found


def neighbours(experiments: Experiments) -> list[Row]:
    """Against the baseline: a gain is how much longer its windows were."""
    found = []
    for row in last_rows(experiments, "hogs", row="baseline"):
        if row["hog"].startswith("none") or "slowdown" not in row:
            continue
        found.append(
            {
                "row": "neighbour",
                "attack": row["hog"],
                "baseline": row["kind"],
                "naive_gain": row["slowdown"],
                "slow_windows": row["slow_windows"],
                "slow_and_unseen_by_probes": row["slow_and_unseen"],
                "trials": row["windows"],
            }
        )
    return found


def device(experiments: Experiments) -> list[Row]:
    """What the card launches itself: `late` are naive windows whose outputs came behind `done`."""
    found = []
    for judged in last_rows(experiments, "device", row="device", clock="judge"):
        same = {"act": judged["act"], "how": judged["how"]}
        naive = last_rows(experiments, "device", row="device", clock="naive", **same)[0]
        if judged["act"] == "honest":
            continue
        late = naive["wrong_by_copy"] - naive["wrong_late"]
        attack = f"{judged['act']}, {judged['how']}" if judged["how"] else judged["act"]
        notes = f"behind `done` in {late} of {naive['windows']}"
        if judged["claimed_us"]:
            notes += f"; {judged['claimed_us']:.0f} us by its own events"
        found.append(against(attack, naive, judged, notes))
    for row in last_rows(experiments, "device", row="device_launch"):
        if "problem" in row or row.get("result_on_card"):
            found.append({**row, "row": "device_launch_failed"})
    return found


def sandwich(experiments: Experiments) -> list[Row]:
    """The baseline beside a stopped candidate by the baseline with none alive."""
    rows = last_rows(experiments, "sandwich", row="sandwich")
    found = []
    for row in rows:
        if "problem" in row:
            found.append(row)
            continue
        kept = "hog kind beside_by_alone behind_by_before alone_us windows"
        kept += " slow_windows slow_and_unseen start_ms kill_ms"
        found.append({"row": "sandwich", **{key: row[key] for key in kept.split()}})
    return found


def strips_reach(part: float, strips: int = 8) -> float:
    """How often a strip of judge.cc's goes into the last part of the outputs, as they are drawn:
    a pitch of half of the widest and more, then an offset from what that leaves."""
    drawn, trials, missed = random.Random(1), 100_000, 0
    for _ in range(trials):
        spans = [drawn.uniform(0.5, 1) for _ in range(strips)]
        missed += all(span + drawn.uniform(0, 1 - span) <= 1 - part for span in spans)
    return 1 - missed / trials


def large(experiments: Experiments) -> list[Row]:
    """Outputs of which a part is written late."""
    found = []
    for row in last_rows(experiments, "large", row="large"):
        kept = "outputs_gib work_us late_millionths pieces windows accepted"
        kept += " wrong_by_sample wrong_by_copy wrong_late wall_us"
        seen = {key: row[key] for key in kept.split()}
        reach = round(strips_reach(row["late_millionths"] / 1e6), 3) if row["late_us"] else None
        seen |= {"gained_us": row.get("gained_us"), "strips_reach_it": reach}
        found.append({"row": "large", **seen})
    return found


def strips(experiments: Experiments) -> list[Row]:
    """The same with strips that go on to the end, and what their samples take by themselves."""
    found = last_rows(experiments, "strips", row="strips_cost")
    for row in last_rows(experiments, "strips", row="strips"):
        kept = "outputs_gib work_us gated to_end late_millionths behind_millionths late_us pieces"
        kept += " windows accepted wrong_by_sample wrong_pieces wrong_in_copy wrong_at_last"
        kept += " all_card_us"
        seen = {key: row[key] for key in kept.split()}
        found.append({"row": "strips", **seen, "gained_us": row.get("gained_us")})
    return found


def attacks(experiments: Experiments) -> list[Row]:
    parts: list[Callable[[Experiments], list[Row]]] = [ends, starts, stale, neighbours]
    parts += [device, sandwich, large, strips]
    found = [row for part in parts for row in part(experiments)]
    for row in last_rows(experiments, "ends", row="own_events"):
        found.append(
            {
                "row": "attack",
                "attack": "side_stream, by the candidate's own events",
                "work_us": row["work_us"],
                "naive_gain": round(row["work_us"] / row["claimed_us"], 1),
                "judge_gain": None,
                "notes": "the judge reads no events of a candidate's",
            }
        )
    return found


def timing(experiments: Experiments) -> list[Row]:
    launches: dict[tuple[float, str], list[Row]] = {}
    own: dict[tuple[int, float, int], Row] = {}
    for number, run in enumerate(experiments.get("resolution", [])):
        for row in run["rows"]:
            if row["row"] != "launch" or "kind" not in row:
                continue
            launches.setdefault((row["call_us"], row["kind"]), []).append({**row, "run": number})
            if row["kind"].startswith("own events"):
                own[number, row["call_us"], row["launch"]] = row
    found = []
    for (call_us, kind), rows in sorted(launches.items()):
        same = [row["same_by_wall"] for row in rows]
        more = [row["more_by_wall"] for row in rows]
        apart = [
            row["same_by_wall"] - own[row["run"], call_us, row["launch"]]["same_by_wall"]
            for row in rows
        ]
        found.append(
            {
                "row": "resolution",
                "call_us": call_us,
                "kind": kind,
                "launches": len(rows),
                "same_deviation": round(statistics.pstdev(same), 4),
                "same_least": round(min(same), 4),
                "same_most": round(max(same), 4),
                "same_deviation_from_own_events": round(statistics.pstdev(apart), 4),
                "more_mean": round(statistics.mean(more), 4),
                "more_least": round(min(more), 4),
                "more_most": round(max(more), 4),
                "wrong": sum(row["wrong"] for row in rows),
            }
        )
    return found


def torch(experiments: Experiments) -> list[Row]:
    """A row for each program, where it was tried last, less what a call takes that does nothing."""
    rows = {
        (row["program"], row["side_stream"]): row
        for row in last_rows(experiments, "torch_gates", row="torch_program")
    }
    nothing = rows.get(("nothing", False), {})
    found = []
    for row in rows.values():
        one: Row = {"row": "program", "program": row["program"], "level": row["level"]}
        one["side_stream"] = row["side_stream"]
        for key in ("first_returned", "first_ms", "later_returned", "queue_us", "host_us"):
            one[key] = row.get(key)
        for key in ("gated_card_us", "window_us_of_1", "window_us_of_8"):
            if key in row and key in nothing:
                calls = 8 if key.endswith("8") else 1
                one[key] = round((row[key] - nothing[key]) / calls, 1)
        for key in (
            "events_mean_us",
            "events_single_us",
            "own_wall_us",
            "apart",
            "killed_ms",
            "problem",
        ):
            one[key] = row.get(key)
        found.append(one)
    for name in ("queue", "killed_behind_a_gate"):
        found += last_rows(experiments, "queues", row=name)
    for row in last_rows(experiments, "queues", row="beside_a_gate"):
        kept = ("row", "beside", "gated", "null_us", "wall_us", "wall_us_p99", "card_us")
        found.append({key: row[key] for key in kept})
    return found


def by_pairs(row: Row, clock: str, side: str) -> float:
    """The median over pairs of what this side took by what the first one did."""
    pairs = zip(row[f"{clock}_{side}"], row[f"{clock}_a"], strict=True)
    return float(statistics.median(one / first for one, first in pairs))


def less_nothing(row: Row, side: str) -> float:
    """The same by medians over windows, each less what an empty window takes."""
    one, first = (
        statistics.median(row[f"card_us_{each}"]) - row["null_us"] for each in (side, "a")
    )
    return float(one / first) if first > 0 else float("nan")


def ratios(rows: list[Row], ratio: Callable[[Row, str], float]) -> Row:
    """Over launches: what the same came to, and what does more."""
    found: Row = {"launches": len(rows)}
    for side in ("a2", "b2", "b5"):
        if f"card_us_{side}" not in rows[0] and f"events_us_{side}" not in rows[0]:
            continue
        values = [value for row in rows if not math.isnan(value := ratio(row, side))]
        if not values:
            continue
        found |= {
            f"{side}_mean": round(statistics.mean(values), 4),
            f"{side}_deviation": round(statistics.pstdev(values), 4),
            f"{side}_least": round(min(values), 4),
            f"{side}_most": round(max(values), 4),
        }
    return found


def by_do_bench(row: Row, side: str, kind: str) -> float:
    values: list[float] = row[f"do_bench_{kind}_us"]
    return values[["a", "a2", "b2", "b5"].index(side)] / values[0]


CLOCKS: dict[str, Callable[[Row, str], float]] = {
    "gated, by card": lambda row, side: by_pairs(row, "card_us", side),
    "gated, by card, less an empty one": less_nothing,
    "gated, by host": lambda row, side: by_pairs(row, "wall_us", side),
    "own events, mean of 100": lambda row, side: by_pairs(row, "events_us", side),
    "do_bench, mean": lambda row, side: by_do_bench(row, side, "mean"),
    "do_bench, median": lambda row, side: by_do_bench(row, side, "median"),
}


def twice(experiments: Experiments) -> list[Row]:
    """The same short kernel in two processes: how they differ, what looks make of it, and the
    processes' own times, which come in groups."""
    launches: dict[float, list[Row]] = {}
    for row in last_rows(experiments, "twice", row="twice"):
        launches.setdefault(row["call_us"], []).append(row)
    found = [{**row, "row": "true"} for row in last_rows(experiments, "twice", row="task")]
    for call_us, rows in sorted(launches.items()):
        calls = [
            round((statistics.median(row[f"card_us_{side}"]) - row["null_us"]) / row["calls"], 3)
            for row in rows
            for side in ("a", "a2")
        ]
        found.append({"row": "processes", "call_us": call_us, "a_call_us": sorted(calls)})
        for clock in ("gated, by card, less an empty one", "own events, mean of 100"):
            kept = {"row": "twice", "call_us": call_us, "clock": clock}
            found.append({**kept, **ratios(rows, CLOCKS[clock])})
            found += [
                {**kept, **row} for row in of_twice([CLOCKS[clock](row, "a2") for row in rows])
            ]
    return found


def study(experiments: Experiments) -> list[Row]:
    found = twice(experiments)
    launches: dict[float, list[Row]] = {}
    for run in experiments.get("study", []):
        for row in run["rows"]:
            if row["row"] == "study":
                launches.setdefault(row["call_us"], []).append(row)
            elif row["row"] == "task":
                found.append({**row, "row": "true"})
    for call_us, rows in sorted(launches.items()):
        for clock, ratio in CLOCKS.items():
            kept = {"row": "study", "call_us": call_us, "clock": clock}
            found.append({**kept, **ratios(rows, ratio)})
        found += verdicts(call_us, rows, CLOCKS)
    windows: dict[tuple[float, int], list[Row]] = {}
    events: dict[float, list[Row]] = {}
    for row in last_rows(experiments, "short", row="short"):
        windows.setdefault((row["call_us"], row["calls"]), []).append(row)
    for row in last_rows(experiments, "short", row="short_events"):
        events.setdefault(row["call_us"], []).append(row)
    found += [{**row, "row": "true"} for row in last_rows(experiments, "short", row="task")]
    for (call_us, calls), rows in sorted(windows.items()):
        each = [(statistics.median(row["card_us_a"]) - row["null_us"]) / calls for row in rows]
        found.append(
            {
                "row": "short",
                "call_us": call_us,
                "calls": calls,
                "a_call_us": round(statistics.median(each), 3),
                "error_of_pairs": round(
                    statistics.median(error_of_pairs(row, "a2") for row in rows), 4
                ),
                **ratios(rows, CLOCKS["gated, by card, less an empty one"]),
            }
        )
    for call_us, rows in sorted(events.items()):
        mean = statistics.median(statistics.median(row["events_us_a"]) for row in rows)
        ratio = CLOCKS["own events, mean of 100"]
        kept = {"row": "short", "call_us": call_us, "calls": "own events, mean of 100"}
        found.append({**kept, "a_call_us": round(mean, 3), **ratios(rows, ratio)})
    return found


PARTS = {"attacks": attacks, "timing": timing, "torch": torch, "study": study}


def add_to(whole: dict[str, Any]) -> None:
    """Adds "summary", where the part has one."""
    part = PARTS.get(whole["part"])
    if part:
        whole["summary"] = part(whole["experiments"])
