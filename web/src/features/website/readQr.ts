/** Codes are looked for in a picture of this size, as on the server. */
const readAt = 1024;

/** What the QR codes of an image say; none where it cannot be read. The server looks again, and decides. */
export async function readQr(file: Blob): Promise<string[]> {
  try {
    const [{ decodeQRBatch }, picture] = await Promise.all([import("qr/decode.js"), createImageBitmap(file)]);
    const scale = Math.min(1, readAt / Math.max(picture.width, picture.height));
    const [width, height] = [Math.ceil(picture.width * scale), Math.ceil(picture.height * scale)];
    const canvas = new OffscreenCanvas(width, height).getContext("2d");
    if (!canvas) return [];
    // What is transparent is white for whoever scans it.
    canvas.fillStyle = "#fff";
    canvas.fillRect(0, 0, width, height);
    canvas.drawImage(picture, 0, 0, width, height);
    const side = canvas.getImageData(0, 0, width, height);
    // Cameras read a code in a mirror too.
    canvas.setTransform(-1, 0, 0, 1, width, 0);
    canvas.drawImage(canvas.canvas, 0, 0);
    const mirrored = canvas.getImageData(0, 0, width, height);
    const found = (await decodeQRBatch([side, mirrored], { timeLimit: 500 })).flat();
    return [...new Set(found.filter((text) => typeof text === "string"))];
  } catch {
    return [];
  }
}
