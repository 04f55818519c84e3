#!/usr/bin/env python3
"""Measures how promptly the engine answers, and prints the table of figures.

    python3 tests/measure/latency.py [--engine target/release/millstone] [--tries 1000] [--rounds 100000]

Needs the standard library only. Times are wall-clock times as a client sees them, so the machine should be
otherwise idle. Nothing here passes or fails: the goals stand beside the figures.
"""

import argparse
import random
import statistics
import subprocess
import time


class Engine:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.output = self.process.stdout
        self.buffer = b""

    def send(self, line):
        self.process.stdin.write(line.encode() + b"\n")

    def until(self, word):
        word = word.encode()
        while True:
            while b"\n" not in self.buffer:
                piece = self.output.read(1 << 16)
                if not piece:
                    raise SystemExit("the engine has ended")
                self.buffer += piece
            line, self.buffer = self.buffer.split(b"\n", 1)
            if word in line:
                return line.decode()

    def quit(self):
        self.send("quit")
        self.process.wait(10)

    def memory(self):
        """Resident memory in KiB, where /proc tells it."""
        try:
            with open(f"/proc/{self.process.pid}/status") as status:
                for line in status:
                    if line.startswith("VmRSS"):
                        return int(line.split()[1])
        except OSError:
            pass
        return None


def timed(action):
    begin = time.perf_counter()
    action()
    return (time.perf_counter() - begin) * 1000


def row(what, times, goal):
    times.sort()
    median, worst = statistics.median(times), times[-1]
    high = times[min(len(times) - 1, int(len(times) * 0.99))]
    figures = f"{times[0]:.2f} | {median:.2f} | {high:.2f} | {worst:.2f}"
    print(f"| {what} | {len(times)} | {figures} | {goal} |", flush=True)


def starts(path, tries):
    times, memory = [], []
    for _ in range(min(tries, 100)):
        begin = time.perf_counter()
        engine = Engine(path)
        engine.send("uci")
        engine.until("uciok")
        times.append((time.perf_counter() - begin) * 1000)
        memory.append(engine.memory() or 0)
        engine.quit()
    row("process start to `uciok`", times, "< 20")
    print(f"| resident after `uciok`, MiB | {len(memory)} | | {statistics.median(memory) / 1024:.1f} | | "
          f"{max(memory) / 1024:.1f} | < 30 |", flush=True)


def during_search(path, tries):
    engine = Engine(path)
    ready, stops = [], []
    for _ in range(tries):
        engine.send("go infinite")
        time.sleep(random.uniform(0.001, 0.02))

        def ask():
            engine.send("isready")
            engine.until("readyok")

        def stop():
            engine.send("stop")
            engine.until("bestmove")

        ready.append(timed(ask))
        stops.append(timed(stop))
    engine.quit()
    row("`isready` during a search", ready, "median < 5, maximum < 50")
    row("`stop` to `bestmove`", stops, "median < 5, maximum < 50")


def ends(path, tries):
    quits, closes = [], []
    for way, times in (("quit", quits), ("close", closes)):
        for _ in range(min(tries, 100)):
            engine = Engine(path)
            engine.send("go infinite")
            engine.until("depth 3")
            begin = time.perf_counter()
            if way == "quit":
                engine.send("quit")
            else:
                engine.process.stdin.close()
            engine.process.wait(10)
            times.append((time.perf_counter() - begin) * 1000)
    row("`quit` during `go infinite`", quits, "< 50")
    row("end of input during `go infinite`", closes, "< 50")


def move_times(path, tries):
    positions = [
        "position startpos",
        "position startpos moves d6 f4 d2 b4",
        "position startpos moves d6 f4 d2 b4 a7 g7 g4 a4 d7 d1",
    ]
    engine = Engine(path)
    times = []
    for n in range(tries):
        engine.send(positions[n % len(positions)])
        engine.send("isready")
        engine.until("readyok")

        def go():
            engine.send("go movetime 100")
            engine.until("bestmove")

        times.append(timed(go))
    engine.quit()
    row("`go movetime 100`", times, "95 to 105")


def clock_games(path, games):
    slack = []
    for _ in range(games):
        engine = Engine(path)
        moves, clocks, side = [], [1000.0, 1000.0], 0
        while len(moves) < 600:
            engine.send("position startpos" + (" moves " + " ".join(moves) if moves else ""))
            engine.send("moves")
            if engine.until("moves").strip() == "moves":
                break
            engine.send("d")
            side = 0 if engine.until("Side to move").endswith("white") else 1
            engine.until("Legal moves")
            begin = time.perf_counter()
            engine.send(f"go wtime {max(1, int(clocks[0]))} btime {max(1, int(clocks[1]))}")
            best = engine.until("bestmove").split()[1]
            clocks[side] -= (time.perf_counter() - begin) * 1000
            moves.append(best)
        slack.append(min(clocks))
        engine.quit()
    row("time left on a 1 s clock at the end of a game", slack, "> 0")


def long_position(path, tries):
    fen = "********/**@**@*O/O**O@@*O w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes"
    line = f"position fen {fen} moves" + " g1-g4 f4-f2 g4-g1 f2-f4" * 2500
    engine = Engine(path)
    times = []
    for _ in range(min(tries, 100)):

        def ask():
            engine.send(line)
            engine.send("isready")
            engine.until("readyok")

        times.append(timed(ask))
    engine.quit()
    row("`position` with 10,000 moves", times, "< 50")


def growth(path, rounds):
    engine = Engine(path)
    marks = []
    for n in range(rounds):
        if n in (rounds // 10, rounds - 1):
            marks.append(engine.memory() or 0)
        engine.send("position startpos moves d6 f4 d2")
        engine.send("go nodes 100")
        engine.until("bestmove")
    engine.quit()
    print(f"| resident after {rounds // 10} and {rounds} rounds of `position`, `go nodes 100`, MiB | 1 | "
          f"{marks[0] / 1024:.1f} | | | {marks[-1] / 1024:.1f} | no growth |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default="target/release/millstone")
    parser.add_argument("--tries", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--games", type=int, default=5)
    arguments = parser.parse_args()
    print("| ms | tries | least | median | 99 % | worst | goal |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- |", flush=True)
    starts(arguments.engine, arguments.tries)
    during_search(arguments.engine, arguments.tries)
    ends(arguments.engine, arguments.tries)
    long_position(arguments.engine, arguments.tries)
    clock_games(arguments.engine, arguments.games)
    growth(arguments.engine, arguments.rounds)
    move_times(arguments.engine, arguments.tries)


if __name__ == "__main__":
    main()
