import type { DatabaseSync } from 'node:sqlite';

/** One plugin's file. Every method throws SQLite's errors. */
export interface Store {
  get(key: string): string | undefined;
  /** False when there is no room. */
  set(key: string, value: string, quota: number): boolean;
  delete(key: string): boolean;
  keys(prefix: string, most: number): readonly string[];
  close(): void;
}

const SCHEMA = `
  PRAGMA auto_vacuum = FULL;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA journal_size_limit = 1048576;
  CREATE TABLE IF NOT EXISTS entries (
    key TEXT PRIMARY KEY, value TEXT NOT NULL, bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS totals (id INTEGER PRIMARY KEY CHECK (id = 0), bytes INTEGER NOT NULL) STRICT;
  INSERT OR IGNORE INTO totals VALUES (0, 0);
`;

export function openStore(database: DatabaseSync): Store {
  database.exec(SCHEMA);
  const select = database.prepare('SELECT value FROM entries WHERE key = ?');
  const size = database.prepare('SELECT bytes FROM entries WHERE key = ?');
  const total = database.prepare('SELECT bytes FROM totals');
  const upsert = database.prepare('INSERT OR REPLACE INTO entries VALUES (?, ?, ?)');
  const erase = database.prepare('DELETE FROM entries WHERE key = ?');
  const add = database.prepare('UPDATE totals SET bytes = bytes + ?');
  const from = database.prepare('SELECT key FROM entries WHERE key >= ? ORDER BY key');

  const sizeOf = (key: string) => Number(size.get(key)?.bytes ?? 0);

  /** The total and the entry change together or not at all. */
  function transact<Value>(work: () => Value): Value {
    database.exec('BEGIN IMMEDIATE');
    try {
      const value = work();
      database.exec('COMMIT');
      return value;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }

  return {
    get(key) {
      const row = select.get(key);
      return row === undefined ? undefined : String(row.value);
    },
    set: (key, value, quota) =>
      transact(() => {
        const bytes = Buffer.byteLength(key) + Buffer.byteLength(value);
        const growth = bytes - sizeOf(key);
        // Shrinking is always possible, also under a quota that was cut.
        if (growth > 0 && Number(total.get()?.bytes ?? 0) + growth > quota) return false;
        upsert.run(key, value, bytes);
        add.run(growth);
        return true;
      }),
    delete: (key) =>
      transact(() => {
        const bytes = sizeOf(key);
        if (erase.run(key).changes === 0) return false;
        add.run(-bytes);
        return true;
      }),
    keys(prefix, most) {
      const found: string[] = [];
      for (const row of from.iterate(prefix)) {
        const key = String(row.key);
        if (found.length >= most || !key.startsWith(prefix)) break;
        found.push(key);
      }
      return found;
    },
    close: () => database.close(),
  };
}
