#!/bin/sh
# Talks to Millstone from the shell.
#
#     examples/session.sh [target/release/millstone]
set -eu
engine=${1:-target/release/millstone}

# The end of the input lets a search with a limit finish, so a pipe is enough for a question and its answer.
answer=$(printf 'position startpos moves d6 f4\ngo depth 8\n' | "$engine" | grep '^bestmove ')
echo "after d6 f4: $answer"

# Long commands are waited for as well, even by quit.
printf 'setoption name UCI_Variant value lasker\ngo perft 3\nquit\n' | "$engine" | tail -n 1

# Two named pipes make a talk of it: the engine thinks until it is told to stop.
talk=$(mktemp -d)
trap 'rm -r "$talk"' EXIT
mkfifo "$talk/in" "$talk/out"
"$engine" <"$talk/in" >"$talk/out" &
exec 3>"$talk/in" 4<"$talk/out"

# Sends its arguments as lines and prints what comes back, up to the line that begins with the first.
ask() {
    until=$1
    shift
    printf '%s\n' "$@" >&3
    while read -r line <&4; do
        case $line in
        "$until"*) echo "$line" && return ;;
        esac
    done
    echo "the engine has ended" >&2
    exit 1
}

ask uciok uci
ask readyok 'setoption name UCI_Variant value nine' 'position startpos' isready
ask 'info depth 5 ' 'go infinite'
ask bestmove stop
ask fen 'position startpos moves d6 a1 f4 g1 d2 d1 xd2' fen
echo quit >&3
wait $!
echo "the engine ended with status $?"
