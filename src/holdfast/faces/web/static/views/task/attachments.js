// Files that people put on a task: listed, opened in place, added by choosing one.

import { get } from "../../api.js";
import { quiet } from "../../controls.js";
import { el, fill } from "../../dom.js";

const MOST_BYTES = 512 * 1024;
const PICTURE = /^image\/(png|jpeg|gif|webp|avif)$/;

const size = (bytes) => (bytes < 1024 ? `${bytes} B` : `${Math.round(bytes / 1024)} kB`);

export const ATTACHMENTS = {
  title: "Attachments",
  slice: (desk) => desk.task.attachments,
  draw: (desk, part) => {
    const change = ({ target }) => target.files[0] && attach(desk, part, target.files[0]);
    const line = (item) => {
      const below = el("div", {});
      const open = part.button("Open", () => show(desk, part, item, below), { class: "button plain", "aria-label": `Open ${item.name}` });
      const facts = quiet(`${item.mime} · ${size(item.size)}`);
      return el("li", {}, el("div", { class: "row" }, el("span", { class: "one-line" }, item.name), facts, open), below);
    };
    return [el("ul", { class: "plain-list stack" }, (desk.task.attachments ?? []).map(line)),
      el("div", {}, el("input", { type: "file", id: "attach", class: "visually-hidden", on: { change } }),
        el("label", { class: "button plain", for: "attach" }, "Attach a file"))];
  },
};

async function attach(desk, part, file) {
  const message = `${file.name} has ${size(file.size)}; at most ${size(MOST_BYTES)} are kept.`;
  if (file.size > MOST_BYTES) return part.fail({ message, hint: "Attach a smaller file." });
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let place = 0; place < bytes.length; place += 4096) text += String.fromCharCode(...bytes.subarray(place, place + 4096));
  await desk.act(part, { name: file.name, data: btoa(text) }, "taskpilot_attach");
}

function show(desk, part, { name, mime }, below) {
  return desk.view.attempt(part.notice, async () => {
    const { text, data } = await get("tasks/taskpilot_attachment", { task_id: desk.id, name }, { signal: desk.view.signal });
    if (text !== undefined) return fill(below, el("pre", {}, text));
    if (data === undefined) return fill(below, el("p", { class: "quiet" }, "It is too large to be shown here; agents read it as a resource."));
    // A picture's bytes come from this server and stay in the page: nothing is asked of any other.
    if (PICTURE.test(mime)) return fill(below, el("img", { class: "picture", src: `data:${mime};base64,${data}`, alt: name }));
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    const link = el("a", { class: "button", download: name }, `Save ${name}`);
    link.href = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
    fill(below, link);
  });
}
