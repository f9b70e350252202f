// Follows one long call and gives up another, through one of the TypeScript clients, and prints what it saw.
//
//   node long_call.mjs (v1 | v2 | v2-auto) '{"server": {command, args, cwd}}'

import { connect, outcome } from './typescript.mjs';

const [flavour, settings] = process.argv.slice(2);
const { client, call } = await connect(flavour, JSON.parse(settings).server);
const wait = (seconds, options) =>
    outcome(call({ name: 'wait', arguments: { seconds, steps: 3 } }, { timeout: 30_000, ...options }));
const seen = { progress: [] };

seen.finished = await wait(0.3, { onprogress: ({ progress, total }) => seen.progress.push([progress, total]) });

const giving = new AbortController();
seen.abandoned = await wait(60, { signal: giving.signal, onprogress: () => giving.abort('enough') });
seen.afterwards = await outcome(call({ name: 'echo', arguments: { text: 'still here' } }));

await client.close();
console.log(JSON.stringify(seen));
