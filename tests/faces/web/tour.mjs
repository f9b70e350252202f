// Walks through the page in one browser and prints what it found as JSON: `{version, complaints, ...}`.
//
//   node tour.mjs (chrome | firefox) EXECUTABLE LINK

import { createRequire } from 'node:module';

const puppeteer = createRequire(`${process.cwd()}/`)('puppeteer-core');
const [name, executablePath, link] = process.argv.slice(2);
const args = name === 'chrome' ? ['--no-sandbox', '--disable-gpu'] : [];
const browser = await puppeteer.launch({ browser: name, executablePath, headless: true, args, timeout: 60_000 });
const origin = new URL(link).origin;
const found = { version: await browser.version(), complaints: [], titles: {}, tooWide: [] };

const page = await browser.newPage();
page.setDefaultTimeout(60_000);
// Firefox reports a module that is still loading when its page is left as an error.
let isLeaving = false;
const isInterruption = (error) => isLeaving && String(error).includes('loading dynamically imported module');
page.on('pageerror', (error) => isInterruption(error) || found.complaints.push(String(error)));
page.on('console', (message) => {
    if (['error', 'warn', 'warning'].includes(message.type())) found.complaints.push(message.text());
});

const read = (selector) => page.$eval(selector, (node) => node.textContent);
const waitFor = (selector, text) => page.waitForFunction(
    (wanted, part) => [...document.querySelectorAll(wanted)].some((node) => node.textContent.includes(part)),
    {}, selector, text);
const open = async (path) => {
    isLeaving = true;
    await page.goto(`${origin}${path}`);
    isLeaving = false;
    await page.waitForSelector('main[data-ready]');
};

await page.setViewport({ width: 1440, height: 900 });
await page.goto(link);
await page.waitForSelector('main[data-ready]');
await page.waitForSelector('.live.connected');
for (const path of ['/', '/board', '/task/TP-5', '/code', '/review', '/issues', '/health', '/activity']) {
    await open(path);
    found.titles[path] = [await page.title(), await read('h1')];
}

// A change of view by a link moves the focus to the new heading and is announced.
await page.click('#rail a[href="/board"]');
await waitFor('#announcer', 'Board');
found.focused = await page.evaluate(() => document.activeElement.localName);

// A card is moved by keys.
const task = await page.$eval('.cards[data-column="ready"] [data-id]', (node) => node.dataset.id);
await page.focus(`[data-id="${task}"] .name`);
for (const key of [' ', 'ArrowRight', 'ArrowRight', ' ']) await page.keyboard.press(key);
await waitFor('#announcer', `${task} is now in In progress.`);
found.column = await page.$eval(`[data-id="${task}"]`, (node) => node.closest('[data-column]').dataset.column);

// The menu of a card is a popover.
await page.locator(`[data-id="${task}"] .more`).click(); // tries again if the card is redrawn meanwhile
found.menu = await page.$eval('.menu', (node) => node.matches(':popover-open'));
await page.keyboard.press('Escape');

// The palette finds a file.
await page.keyboard.press('/');
await page.waitForSelector('.palette input');
await page.keyboard.type('leases.py');
await page.keyboard.press('Enter');
await waitFor('h1', 'leases.py');

// A note is written on a line.
await open('/code/src/tidepool/leases.py#L3');
await page.keyboard.press('c');
await page.waitForSelector('.note-form textarea:focus');
await page.keyboard.type('Seen in another browser');
await page.keyboard.down('Control');
await page.keyboard.press('Enter');
await page.keyboard.up('Control');
await waitFor('.note-text', 'Seen in another browser');

// Light and dark.
const shade = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const before = await shade();
await page.click('#theme');
found.themeChanges = before !== (await shade());

// Nothing is wider than a small screen.
await page.setViewport({ width: 360, height: 740 });
for (const path of ['/', '/board', '/code/src/tidepool/leases.py', '/review', '/issues', '/health', '/activity']) {
    await open(path);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > 360) found.tooWide.push([path, width]);
}

await browser.close();
console.log(JSON.stringify(found));
