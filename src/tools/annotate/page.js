// Shows a position of a game: by the arrow keys, Home and End for the game last clicked on, and by a click
// on a move or on a point of the curve.

const games = [...document.querySelectorAll("section")].map((game) => {
    const all = (name) => [...game.querySelectorAll(name)];
    const states = all(".state");
    const moves = all("[data-turn]");
    const cursor = game.querySelector(".cursor");
    const at = game.querySelector(".at");
    const last = states.length - 1;
    const self = {
        now: last,
        last,
        show(turn) {
            const now = Math.max(0, Math.min(last, turn));
            self.now = now;
            states.forEach((state, n) => (state.style.display = n === now ? "" : "none"));
            moves.forEach((move) => move.classList.toggle("now", +move.dataset.turn === now));
            cursor.setAttribute("transform", "translate(" + cursor.dataset.step * now + ")");
            at.textContent = at.dataset.start;
            moves
                .filter((move) => move.dataset.note && +move.dataset.turn === now)
                .forEach((move) => (at.textContent = move.dataset.note));
        },
    };
    moves.forEach((move) => move.addEventListener("click", () => self.show(+move.dataset.turn)));
    game.addEventListener("click", () => {
        active = self;
    });
    return self;
});
let active = games[0];
document.addEventListener("keydown", (event) => {
    const to =
        active &&
        { ArrowLeft: active.now - 1, ArrowRight: active.now + 1, Home: 0, End: active.last }[event.key];
    if (to !== undefined && !event.altKey && !event.ctrlKey && !event.metaKey) {
        active.show(to);
        event.preventDefault();
    }
});
