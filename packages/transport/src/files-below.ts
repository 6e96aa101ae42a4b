import { readdir } from 'node:fs/promises';

/** The files below a folder whose names end so; none where it cannot be read. Links to folders are not followed: they can go in a circle. */
export async function filesBelow(folder: string, ending: string): Promise<string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return all.filter(({ name }) => name.endsWith(ending)).map(({ parentPath, name }) => `${parentPath}/${name}`);
}
