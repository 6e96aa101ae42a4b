/** An immutable map from 32-bit keys: 32 ways a level, so that every step costs at most seven small copies. */
export interface Trie<T> {
  readonly children?: readonly (Trie<T> | undefined)[];
  readonly value?: T;
}

export const emptyTrie: Trie<never> = {};

export function trieGet<T>(trie: Trie<T>, key: number): T | undefined {
  let node: Trie<T> | undefined = trie;
  for (let rest = key >>> 0; node !== undefined; rest >>>= 5) {
    if (rest === 0) return node.value;
    node = node.children?.[rest & 31];
  }
  return undefined;
}

export function trieSet<T>(trie: Trie<T>, key: number, value: T): Trie<T> {
  const rest = key >>> 0;
  if (rest === 0) return { ...trie, value };
  const children = trie.children?.slice() ?? [];
  children[rest & 31] = trieSet(children[rest & 31] ?? emptyTrie, rest >>> 5, value);
  return { ...trie, children };
}

/** Takes a key out, and with it every node that is then empty; undefined where nothing is left. */
export function trieDelete<T>(trie: Trie<T>, key: number): Trie<T> | undefined {
  const { value: _value, ...rest } = trie;
  const bits = key >>> 0;
  if (bits === 0) return rest.children ? rest : undefined;
  const child = trie.children?.[bits & 31];
  if (!child) return trie;
  const children = trie.children?.slice() ?? [];
  children[bits & 31] = trieDelete(child, bits >>> 5);
  if (children.some(Boolean)) return { ...trie, children };
  return trie.value === undefined ? undefined : { value: trie.value };
}

/** Calls `visit` with every value, in no order. */
export function trieEach<T>(trie: Trie<T>, visit: (value: T) => void): void {
  if (trie.value !== undefined) visit(trie.value);
  for (const child of trie.children ?? []) if (child) trieEach(child, visit);
}

/** FNV-1a over UTF-16 code units; spreads ids over the keys of a trie, and proves nothing. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
