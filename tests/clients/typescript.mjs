// The TypeScript clients behind one small interface. They are found from the folder that node runs in.

import { createRequire } from 'node:module';

const require = createRequire(`${process.cwd()}/`);
const identity = { name: 'tests', version: '1' };
const updated = 'notifications/resources/updated';

/** Start a server and connect to it, or connect to one that runs at `server.url`. */
export const connect = async (flavour, server) => (flavour === 'v1' ? connectFirst(server) : connectSecond(flavour, server));

async function connectFirst(server) {
    const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
    const { ResourceUpdatedNotificationSchema } = require('@modelcontextprotocol/sdk/types.js');
    const client = new Client(identity);
    await client.connect(transportTo(server, '@modelcontextprotocol/sdk/client/stdio.js', '@modelcontextprotocol/sdk/client/streamableHttp.js'));
    const onUpdated = handler => client.setNotificationHandler(ResourceUpdatedNotificationSchema, handler);
    const call = (request, options) => client.callTool(request, undefined, options);
    return { client, call, onUpdated, watch: uri => subscribe(client, uri) };
}

async function connectSecond(flavour, server) {
    const { Client } = require('@modelcontextprotocol/client');
    const options = flavour === 'v2-auto' ? { versionNegotiation: { mode: 'auto' } } : {};
    const client = new Client(identity, options);
    await client.connect(transportTo(server, '@modelcontextprotocol/client/stdio', '@modelcontextprotocol/client'));
    const onUpdated = handler => client.setNotificationHandler(updated, handler);
    const call = (request, options) => client.callTool(request, options);
    const watch = uri => (client.getProtocolEra() === 'modern' ? listen(client, uri) : subscribe(client, uri));
    return { client, call, onUpdated, watch };
}

function transportTo(server, pipe, web) {
    if (!server.url) return new (require(pipe).StdioClientTransport)(server);
    return new (require(web).StreamableHTTPClientTransport)(new URL(server.url), { requestInit: { headers: server.headers } });
}

async function subscribe(client, uri) {
    await client.subscribeResource({ uri });
    return () => client.unsubscribeResource({ uri });
}

async function listen(client, uri) {
    const subscription = await client.listen({ resourceSubscriptions: [uri] });
    return () => subscription.close();
}

/** Return a result, or the error that came instead, as data. */
export const outcome = promise => promise.catch(({ code, message }) => ({ error: { code, message } }));
