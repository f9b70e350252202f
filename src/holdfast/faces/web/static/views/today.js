// Today: what waits for somebody.

export async function show(view) {
  view.heading("Today");
}
