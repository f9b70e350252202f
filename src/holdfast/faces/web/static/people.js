// Who did something: an avatar with initials beside a name. Agents have a shape, a mark and a colour of their own.

import { el } from "./dom.js";

/** Words in the names under which agents introduce themselves, which no person's name has. */
const AGENT_WORD = /(^|\P{L})(agents?|assistant|bot|codex|copilot|gpt|llm|mcp|opencode|worker)(\P{L}|$)/iu;
/** Names of agents that are also names of people or of things, so they count alone, or with such an addition. */
const AGENT_NAME = /^(aider|claude|cline|cursor|devin|gemini|goose|grok|windsurf|zed)([-_.].*| (code|cli|desktop))?$/i;
/** The number of hues of avatars and labels; a judgement: more could not be told apart. */
const HUES = 10;
/** The first hue and the distance between two, in degrees; they leave out the violet of agents. */
const FIRST_HUE = 330, HUE_STEP = 29;
/** The constants of the hash FNV-1a with 32 bits. */
const FNV_OFFSET = 2166136261, FNV_PRIME = 16777619;

/**
 * Return whether a name is an agent's. The server stores names only, so this is a guess from the name's words.
 * @param {string} name
 */
export const isAgent = (name) => AGENT_WORD.test(name) || AGENT_NAME.test(name);

/**
 * Return a hue in degrees, the same for the same text.
 * @param {string} text
 */
export function hueOf(text) {
  let hash = FNV_OFFSET;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), FNV_PRIME) >>> 0;
  return String((FIRST_HUE + (hash % HUES) * HUE_STEP) % 360);
}

/**
 * Return an avatar: a circle for a person; for an agent a square with an antenna, which screen readers call "agent".
 * @param {string} name
 */
export function avatar(name) {
  const isOfAgent = isAgent(name);
  const [first = "?", second] = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const initials = second ? [...first][0] + [...second][0] : [...first].slice(0, 2).join("");
  const label = isOfAgent ? { role: "img", "aria-label": "agent" } : { "aria-hidden": "true" };
  return el("span", { class: isOfAgent ? "avatar agent" : "avatar", dataset: { initials }, ...label,
    style: { "--hue": hueOf(name) } });
}

/**
 * Return a name beside its avatar, without the address that git's names end with.
 * @param {string | null} [text]
 */
export function person(text) {
  const name = text?.replace(/ <[^<>]*>$/, "") || text || "Somebody";
  return el("span.person", { title: text }, avatar(name), el("span.name-of", name));
}

/**
 * Return a label of a task or an issue, with a dot in a colour of its own.
 * @param {string} name
 */
export const label = (name) => el("span.tag.label", { style: { "--hue": hueOf(name) } }, name);
