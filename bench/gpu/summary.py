"""What the runs of a part come to: a row for each attack, the spread of timing over launches."""

import statistics
from collections.abc import Callable
from typing import Any

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


def attacks(experiments: Experiments) -> list[Row]:
    parts: list[Callable[[Experiments], list[Row]]] = [ends, starts, stale, neighbours]
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


PARTS = {"attacks": attacks, "timing": timing}


def add_to(whole: dict[str, Any]) -> None:
    """Adds "summary", where the part has one."""
    part = PARTS.get(whole["part"])
    if part:
        whole["summary"] = part(whole["experiments"])
