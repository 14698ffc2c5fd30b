export declare function buildConsole(): Promise<void>
