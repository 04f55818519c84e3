/** Offers a file to the reader. */
export function offer(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  // The browser reads the address after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export const textBlob = (text: string, type: string): Blob =>
  new Blob([text], { type: `${type};charset=utf-8` });

/** Draws an SVG text as a picture of so many pixels. */
export async function toPng(svg: string, width: number): Promise<Blob> {
  const url = URL.createObjectURL(textBlob(svg, "image/svg+xml"));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = Math.round((width * image.naturalHeight) / image.naturalWidth);
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, fail) =>
      canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("the picture could not be drawn")))),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}
