import { type Dirent, readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';

/** The files below a folder whose names end so; none where it cannot be read. Links to folders are not followed: they can go in a circle. */
export async function filesBelow(folder: string, ending: string): Promise<string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return all.filter(({ name }) => name.endsWith(ending)).map(toPath);
}

/** All that is below a folder and no folder itself, at once; nothing where there is no such folder. It follows no links to folders either. */
export function allBelow(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => (entry.isDirectory() ? allBelow(toPath(entry)) : [toPath(entry)]));
}

/** `recursive` would follow links here, with their kind or without (Node 24). */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function toPath({ parentPath, name }: Dirent): string {
  return `${parentPath}/${name}`;
}
