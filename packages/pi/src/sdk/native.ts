/** What this runtime calls of a host's `AgentSession` (1.4.0 to 1.6.0); the real class fits it. */
export interface PiAgentSession {
  readonly sessionId: string;
  readonly isIdle: boolean;
  readonly isStreaming: boolean;
  readonly isCompacting: boolean;
  readonly isBashRunning: boolean;
  readonly pendingMessageCount: number;
  /** Says that a loop runs also where another run that could not begin has made the session look idle. */
  readonly agent?: { readonly state?: { readonly isStreaming?: boolean } };
  readonly sessionManager: { getLeafId(): string | null };
  readonly extensionRunner?: { createContext(): { readonly cwd: string } };
  readonly model?: { readonly compat?: object | undefined } | undefined;
  subscribe(listener: (event: { readonly type: string }) => void): () => void;
  prompt(text: string, options?: PiPromptOptions): Promise<void>;
  compact(customInstructions?: string): Promise<unknown>;
  abort(): Promise<void>;
  abortCompaction(): void;
  dispose(): void;
  bindExtensions(bindings: { onError?: (error: PiExtensionError) => void }): Promise<void>;
}

export interface PiPromptOptions {
  readonly source?: 'rpc';
  readonly preflightResult?: (disposition: string) => void;
}

export interface PiExtensionError {
  readonly extensionPath: string;
  readonly event: string;
  readonly error: string;
}

/** What `open()` calls of the host's own import of `@earendil-works/pi-coding-agent`; the module itself fits it. */
export interface PiSdk {
  readonly VERSION?: string;
  createAgentSession(options?: never): Promise<{ readonly session: PiAgentSession }>;
  getAgentDir(): string;
  readonly SessionManager: {
    create(cwd: string, sessionDir?: string): unknown;
    open(path: string, sessionDir?: string): unknown;
    findById(cwd: string, id: string, sessionDir?: string): string | undefined;
  };
  readonly ModelRuntime: { create(options?: never): Promise<{ getModel(provider: string, id: string): unknown }> };
  readonly SettingsManager: { create(cwd: string, agentDir?: string): unknown };
  readonly DefaultResourceLoader: new (options: never) => { reload(): Promise<void> };
}
