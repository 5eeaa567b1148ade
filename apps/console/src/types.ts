/** The parts of the API's answers that the console shows. */

export interface EventRow {
  readonly id: string;
  readonly provider: string;
  readonly event_id: string | null;
  readonly type: string | null;
  readonly state: string;
  readonly reason: string | null;
  readonly occurred_at: string | null;
  readonly received_at: string;
  readonly repeats: number;
  readonly body_kept: boolean;
}

export interface JobRow {
  readonly id: string;
  readonly event_id: string | null;
  readonly handler: string;
  readonly queue: string;
  readonly order_key: string | null;
  readonly holds_order_key: boolean;
  readonly state: string;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly losses: number;
  readonly due_at: string | null;
  readonly last_error: string | null;
  readonly replay_of: string | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

/** A line that a handler logged. */
export interface LoggedLine {
  readonly at: string;
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface JobInFull extends JobRow {
  readonly failures: readonly {
    readonly attempt: number;
    readonly at: string;
    readonly error: string;
    /** The job was done by then, and does not run again. */
    readonly after_commit: boolean;
    /** What the handler logged in this attempt. */
    readonly log: readonly LoggedLine[];
  }[];
}

export interface EventInFull extends EventRow {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string | null;
  readonly left_out: readonly string[];
  readonly covered: readonly string[];
  readonly overruled: string | null;
  readonly metadata: {
    readonly delivery_id: string | null;
    readonly attempt: number | null;
    readonly sent_at: string | null;
    readonly api_version: string | null;
  };
  readonly body_base64: string;
  readonly masked: boolean;
  readonly forwards: readonly {
    readonly handler: string;
    readonly attempt: number;
    readonly at: string;
    readonly ms: number;
    readonly status: number | null;
    readonly body: string;
    readonly error: string | null;
  }[];
  readonly jobs: readonly JobRow[];
  readonly notes: readonly {
    readonly id: string;
    readonly at: string;
    readonly author: string;
    readonly text: string;
  }[];
}

/** What an event has otherwise than another one. */
export interface Difference {
  readonly against: { readonly event_id: string; readonly received_at: string } | null;
  readonly complete: boolean;
  readonly changes: readonly { readonly path: string; readonly before: string | null; readonly after: string | null }[];
}

export interface Cause {
  readonly id: string;
  readonly handler: string;
  readonly error: string | null;
  readonly message: string;
  readonly frames: readonly string[];
  readonly failures: number;
  readonly share: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly example: {
    readonly event_id: string | null;
    readonly job_id: string;
    readonly at: string;
    readonly error: string;
  };
}

interface Skipped {
  readonly reason: string;
  readonly events: number;
}

export interface Plan {
  readonly id: string;
  readonly action: "replay" | "discard";
  readonly state: "planned" | "running" | "paused" | "done" | "cancelled";
  readonly filter: Readonly<Record<string, string | null>>;
  readonly reason: string | null;
  readonly per_second: number;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly dry_run: {
    readonly looked_at: number;
    readonly complete: boolean;
    readonly matched: number;
    readonly done: number;
    readonly handlers: readonly { readonly handler: string; readonly jobs: number }[];
    readonly order_key_waits: number;
    readonly skipped: readonly Skipped[];
  };
  readonly report: {
    readonly looked_at: number;
    readonly done: number;
    readonly jobs: number;
    readonly failed: number;
    readonly skipped: readonly Skipped[];
  };
}

export interface Health {
  readonly level: "ok" | "attention" | "stopped";
  readonly sentence: string;
  readonly facts: readonly {
    readonly kind: string;
    readonly level: "ok" | "attention" | "stopped";
    readonly text: string;
    readonly mend: string | null;
  }[];
}

export interface Queue {
  readonly name: string;
  readonly paused: boolean;
  readonly note: string | null;
  readonly ready: number;
  readonly oldest_ready_at: string | null;
}

export interface Stats {
  readonly jobs: Readonly<
    Record<"ready" | "scheduled" | "running" | "blocked" | "done" | "dead" | "cancelled", number>
  >;
  readonly queues: readonly Queue[];
  readonly runners: readonly { readonly id: string; readonly name: string }[];
}

export interface Sender {
  readonly name: string;
  readonly scheme: string;
  readonly title: string;
  readonly source: "configuration" | "stored";
  readonly path: string;
  readonly tolerance_seconds: number | null;
  readonly dedupe: { readonly by: string; readonly window_seconds?: number } | null;
  readonly schema_types: readonly string[];
  readonly keys: readonly {
    readonly id: string;
    readonly key_id: string | null;
    readonly state: "waiting" | "good" | "ended";
    readonly not_before: string;
    readonly not_after: string | null;
  }[];
}

export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly verified_email: string | null;
  readonly second_factor_at: string | null;
  readonly role: string;
  readonly created_at: string;
}

export interface Session {
  readonly id: string;
  readonly user_id: string;
  readonly last_used_at: string;
  readonly device: string | null;
  readonly address: string | null;
  readonly expires_at: string;
  readonly user?: { readonly name: string } | null;
}

export interface ApiKey {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly created_at: string;
  readonly user?: { readonly name: string } | null;
}

export interface Client {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly scopes: readonly string[];
  readonly grant_types: readonly string[];
  readonly last_used_at: string | null;
  readonly created_at: string;
}

export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly actor: { readonly kind: string; readonly id: string | null };
  readonly action: string;
  readonly resource: string | null;
  readonly resource_id: string | null;
  readonly result: string;
  readonly request_id: string;
  readonly address: string;
  readonly fields: readonly string[];
}

export interface DeprecatedUse {
  readonly id: string;
  readonly state: string;
  readonly sunset_at: string;
  readonly calls: number;
  readonly calls_asked: number;
  readonly calls_sent: number;
  readonly safe_to_remove: boolean;
  readonly clients: readonly {
    readonly client: string;
    readonly agent: string;
    readonly operation: string;
    readonly kind: string;
    readonly calls: number;
    readonly first_used_at: string;
    readonly last_used_at: string;
  }[];
}

export interface Counted {
  readonly received: number;
  readonly late: number;
  readonly refused: number;
  readonly processed: number;
  readonly dead: number;
  readonly latency_ms: { readonly about_p50: number; readonly about_p95: number; readonly about_p99: number } | null;
  readonly waiting: number;
  readonly oldest_waiting_seconds: number;
}

export interface Counts {
  readonly to: string;
  readonly total: Counted;
  readonly buckets: readonly (Counted & { readonly at: string; readonly filling: boolean })[];
}

export interface SenderCounts {
  readonly complete: boolean;
  readonly providers: readonly (Omit<Counted, "waiting" | "oldest_waiting_seconds"> & { readonly provider: string })[];
}

interface TracedBytes {
  readonly bytes: number;
  readonly sha256: string;
}

export interface Trace {
  readonly scheme: string | null;
  readonly valid: boolean;
  readonly message: string | null;
  readonly hint: string | null;
  readonly headers: readonly { readonly name: string; readonly length: number | null; readonly value: string | null }[];
  readonly covered: readonly string[];
  readonly content: string | null;
  readonly signed: TracedBytes | null;
  readonly body: TracedBytes | null;
  readonly keys: {
    readonly tried: number | null;
    readonly named: string | null;
    readonly matched: number | null;
    readonly id: string | null;
  } | null;
  readonly time: {
    readonly signed_at: string;
    readonly skew_seconds: number;
    readonly tolerance_seconds: number | null;
  } | null;
  readonly repeat: { readonly by: string; readonly window_seconds: number | null; readonly key: string | null } | null;
}

export interface Refusal {
  readonly id: string;
  readonly reason: string;
  readonly message: string | null;
  readonly hint: string | null;
  readonly refused_at: string;
  readonly address: string | null;
  readonly bytes: number;
  readonly unkept: number;
}

export interface RefusalInFull extends Refusal {
  readonly trace: Trace;
}
