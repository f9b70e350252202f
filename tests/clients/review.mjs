// Does what a reviewing agent does, through one of the TypeScript clients, and prints what the client saw.
//
//   node review.mjs (v1 | v2 | v2-auto) '{"server": {command, args, cwd, env}, "sender": [command, argument...]}'

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { connect, outcome } from './typescript.mjs';

const [flavour, settings] = process.argv.slice(2);
const { server, sender } = JSON.parse(settings);
const uri = 'lazygit://messages';
const { client, onUpdated, watch } = await connect(flavour, server);

const call = (name, args = {}) => outcome(client.callTool({ name, arguments: args }));
const names = async (list, key = 'name') => (await list).map(item => item[key]);
const seen = {};

seen.server = client.getServerVersion().name;
seen.tools = await names(client.listTools().then(page => page.tools));
seen.resources = await names(client.listResources().then(page => page.resources), 'uri');
seen.prompts = await names(client.listPrompts().then(page => page.prompts));

const updated = new Promise(resolve => onUpdated(notification => resolve(notification.params.uri)));
const unwatch = await watch(uri);
await promisify(execFile)(sender[0], sender.slice(1), { cwd: server.cwd });
seen.updated = await updated;
await unwatch();

seen.waiting = await client.readResource({ uri });
seen.prompt = await client.getPrompt({ name: 'address_review_remarks' });
seen.checked = await call('check_lazygit_messages');
const message_id = seen.checked.structuredContent.messages[0].id;
seen.sent = await call('send_message', { file: 'README.md', comment: 'Thanks', line: '1-2' });
seen.drained = await call('drain_messages', { hook: true });
seen.listed = await call('list_messages', { state: 'all' });
seen.replied = await call('reply_to_message', { message_id, text: 'Handled' });
seen.shown = await call('show_message', { message_id });

seen.refused = await call('send_message', { file: 'README.md' });
seen.missing = await call('show_message', { message_id: 'm_00000000' });
seen.unknown = await call('no_such_tool');

await client.close();
console.log(JSON.stringify(seen));
