// A button that saves a picture. Python draws it when the button is pressed; the browser turns it
// into pixels at twice the size, because only the browser knows the reader's fonts.

const SCALE = 2;

async function save({ svg, name }) {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: image.width * SCALE, height: image.height * SCALE });
  const pen = canvas.getContext("2d");
  pen.scale(SCALE, SCALE);
  pen.drawImage(image, 0, 0);
  URL.revokeObjectURL(url);
  const pixels = await new Promise((done) => canvas.toBlob(done, "image/png"));
  const link = document.createElement("a");
  Object.assign(link, { href: URL.createObjectURL(pixels), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export default function ({ parentElement, data, setTriggerValue }) {
  const button = parentElement.querySelector("button");
  button.textContent = data.label;
  button.onclick = () => setTriggerValue("wanted", Date.now());
  if (data.picture && button.saved !== data.picture.id) {
    button.saved = data.picture.id;
    save(data.picture);
  }
}
