#!/usr/bin/env python3
"""Prints won endings of six men against four as openings for `millstone match`.

    millstone tb build --scope 10-men --path tables
    python3 tests/measure/endings.py [--engine target/release/millstone] tables > endings.txt
    millstone match --opponent perfect --tablebase tables --openings endings.txt --go "nodes 20000" --games 120

The positions are random but the same in every run. The side to move has six men and wins in 20 plies or more.
In one game of each pair the engine has the six men, in the other one the four. Needs the standard library only.
"""

import argparse
import json
import random
import subprocess


def positions(tries):
    """Yields random positions of six men against four, White and Black to move in turn."""
    chance = random.Random(1)
    for number in range(tries):
        board = ["*"] * 24
        for rank, point in enumerate(chance.sample(range(24), 10)):
            board[point] = "O" if rank < 6 else "@"
        text, side, men = "".join(board), "w", (6, 4)
        if number % 2:
            text, side, men = text.translate(str.maketrans("O@", "@O")), "b", (4, 6)
        board = "/".join(text[ring : ring + 8] for ring in (0, 8, 16))
        yield f"{board} {side} m s {men[0]} 0 {men[1]} 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", help="folder of tablebase files, up to ten men")
    parser.add_argument("--engine", default="target/release/millstone")
    parser.add_argument("--count", type=int, default=60, help="number of positions to print")
    parser.add_argument("--tries", type=int, default=500, help="number of random positions to choose from")
    arguments = parser.parse_args()
    command = [arguments.engine, "tb", "probe", "--path", arguments.tables, "--stdin", "--json"]
    texts = "\n".join(positions(arguments.tries)) + "\n"
    answers = subprocess.run(command, input=texts, capture_output=True, text=True, check=True).stdout
    values = map(json.loads, answers.splitlines())
    won = [value["fen"] for value in values if value.get("value") == "W" and value["plies"] >= 20]
    if len(won) < arguments.count:
        raise SystemExit(f"only {len(won)} of {arguments.tries} positions are long wins; raise --tries")
    for fen in won[: arguments.count]:
        print("fen", fen)


if __name__ == "__main__":
    main()
