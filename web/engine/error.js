// Errors with a stable code.

export class MillError extends Error {
    constructor(code, message, file) {
        super(message);
        this.name = "MillError";
        this.code = code;
        if (file !== undefined) this.file = file;
    }
}

/** Calls a function of the module. It throws a text in JSON; this makes an error of it. */
export function call(action) {
    try {
        return action();
    } catch (thrown) {
        if (typeof thrown !== "string") throw thrown;
        const { code, message } = JSON.parse(thrown);
        throw new MillError(code, message);
    }
}
