#!/usr/bin/env python3
"""A reward function for GRPO, as trl's GRPOTrainer calls it.

    with assay.Judge(against="eager", quick=True, timeout=60) as judge:
        trainer = GRPOTrainer(model, reward_funcs=kernel_reward(judge), train_dataset=...)
        trainer.train()

The dataset has a column "problem": the path of a problem, its source, or what names it.

    examples/reward.py PROBLEM ANSWER...

prints the reward of each file: what a model said, with its code in a fenced block.
"""

import math
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import assay


def kernel_reward(judge: assay.Judge) -> Callable[..., list[float]]:
    def reward(prompts: list[Any], completions: list[Any], **columns: Any) -> list[float]:
        requests = [
            assay.Request(problem, answer=text_of(completion))
            for problem, completion in zip(columns["problem"], completions, strict=True)
        ]
        rewards = [
            reward_of(judge, request, said)
            for request, said in zip(requests, judge.map(requests), strict=True)
        ]
        # What nobody can judge has the mean of its group: no advantage, for or against it.
        return [
            mean_of_group(prompt, prompts, rewards) if math.isnan(each) else each
            for prompt, each in zip(prompts, rewards, strict=True)
        ]

    return reward


def reward_of(judge: assay.Judge, request: assay.Request, said: Any) -> float:
    """NaN where nobody can judge it. Once more, where assay has ended under it: what is no request
    is an error for good, and costs no other its reward."""
    try:
        verdict = judge.submit(request).result() if isinstance(said, assay.Error) else said
    except assay.Error:
        return math.nan
    return float(verdict.reward(unjudged=math.nan))


def text_of(completion: Any) -> str:
    """Of a completion in either of trl's formats: a text, or a list of messages."""
    return str(completion if isinstance(completion, str) else completion[-1]["content"])


def mean_of_group(prompt: Any, prompts: list[Any], rewards: list[float]) -> float:
    known = [
        reward
        for other, reward in zip(prompts, rewards, strict=True)
        if other == prompt and not math.isnan(reward)
    ]
    return statistics.fmean(known) if known else 0.0


def main(problem: str, *answers: str) -> None:
    with assay.Judge(against="eager", quick=True, timeout=60) as judge:
        said = [Path(each).read_text() for each in answers]
        asked = [f"A kernel for {problem}, please."] * len(said)
        rewards = kernel_reward(judge)(asked, said, problem=[problem] * len(said))
    for answer, reward in zip(answers, rewards, strict=True):
        print(f"{answer} {reward:.2f}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("examples/reward.py PROBLEM ANSWER...")
    main(*sys.argv[1:])
