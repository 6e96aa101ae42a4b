import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ModelServer, openModelServer, type Script } from './model-server.ts';

/** A fresh home, a fresh project folder and a loopback model for one vendor process (E2). */
export interface Lab {
  readonly server: ModelServer;
  readonly home: string;
  readonly project: string;
  /** For a runtime's `env` option: removes every variable of the host that is not on the allow-list. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes a file below the home (`~/…`) or the project and gives its path. */
  write(path: string, content: string | object): string;
  close(): Promise<void>;
}

/** Variables of the host that a vendor under test may see. */
const allowed = ['PATH', 'LANG', 'LC_ALL', 'TMPDIR', 'SystemRoot'];

/** Opens a lab for Claude Code. The key is a dummy; nothing leaves this machine. */
export async function openClaudeLab(script?: Script, extra: Readonly<Record<string, string>> = {}): Promise<Lab> {
  const server = await openModelServer(script);
  return createLab(server, (home) => ({
    CLAUDE_CONFIG_DIR: join(home, 'claude'),
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'dummy-key-for-loopback',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    ...extra,
  }));
}

/** A lab around a model server; `variables` are the vendor's own, for a given home. */
export function createLab(server: ModelServer, variables: (home: string) => Record<string, string>): Lab {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'native-compaction-lab-')));
  const [home, project] = [join(folder, 'home'), join(folder, 'project')];
  mkdirSync(home);
  mkdirSync(project);
  const removed = Object.keys(process.env).filter((name) => !allowed.includes(name));
  return {
    server,
    home,
    project,
    env: { ...Object.fromEntries(removed.map((name) => [name, undefined])), HOME: home, ...variables(home) },
    write(path, content) {
      const file = path.startsWith('~/') ? join(home, path.slice(2)) : join(project, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
      return file;
    },
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
