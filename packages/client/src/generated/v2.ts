// Made from contracts/v2/openapi.json by test/client-types.test.ts.
export interface paths {
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions you may read
         * @description List the sessions you may read. Needs a signed-in user, and answers only what that user may see. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["sessions.list"];
        put?: never;
        /**
         * Sign in
         * @description Sign in. Anyone may call this.
         */
        post: operations["sessions.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a refresh token for a new pair
         * @description Exchange a refresh token for a new pair. Anyone may call this.
         */
        post: operations["sessions.refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Sign out: end a session of yours; `current` is the one this request uses
         * @description Sign out: end a session of yours; `current` is the one this request uses. Needs a signed-in user, and answers only what that user may see.
         */
        delete: operations["sessions.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users you may read
         * @description List the users you may read. Needs a signed-in user, and answers only what that user may see. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["users.list"];
        put?: never;
        /**
         * Sign up
         * @description Sign up. Anyone may call this.
         */
        post: operations["users.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the password; every session of the user ends
         * @description Change the password; every session of the user ends. Needs a signed-in user, and answers only what that user may see.
         */
        put: operations["users.change-password"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user
         * @description Read a user. Needs a signed-in user, and answers only what that user may see.
         */
        get: operations["users.read"];
        /**
         * Replace a user
         * @description Replace a user. Needs a signed-in user, and answers only what that user may see. Takes no write without `If-Match` (428).
         */
        put: operations["users.replace"];
        post?: never;
        /**
         * Delete a user and all that belongs to it
         * @description Delete a user and all that belongs to it. Needs a signed-in user, and answers only what that user may see. Takes no write without `If-Match` (428).
         */
        delete: operations["users.delete"];
        options?: never;
        head?: never;
        /**
         * Change some members of a user (JSON merge patch, RFC 7396)
         * @description Change some members of a user (JSON merge patch, RFC 7396). Needs a signed-in user, and answers only what that user may see. Takes no write without `If-Match` (428).
         */
        patch: operations["users.update"];
        trace?: never;
    };
    "/users/{id}/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the posts of a user that you may read
         * @description List the posts of a user that you may read. Needs a signed-in user, and answers only what that user may see. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["posts.list"];
        put?: never;
        /**
         * Create a post
         * @description Create a post. Needs a signed-in user, and answers only what that user may see.
         */
        post: operations["posts.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/posts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a post
         * @description Read a post. Needs a signed-in user, and answers only what that user may see.
         */
        get: operations["posts.read"];
        /**
         * Replace a post
         * @description Replace a post. Needs a signed-in user, and answers only what that user may see. Takes no write without `If-Match` (428).
         */
        put: operations["posts.replace"];
        post?: never;
        /**
         * Delete a post and all that belongs to it
         * @description Delete a post and all that belongs to it. Needs a signed-in user, and answers only what that user may see. Takes no write without `If-Match` (428).
         */
        delete: operations["posts.delete"];
        options?: never;
        head?: never;
        /**
         * Change some members of a post (JSON merge patch, RFC 7396)
         * @description Change some members of a post (JSON merge patch, RFC 7396). Needs a signed-in user, and answers only what that user may see. Takes no write without `If-Match` (428).
         */
        patch: operations["posts.update"];
        trace?: never;
    };
    "/posts/{id}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the comments of a post that you may read
         * @description List the comments of a post that you may read. Needs a signed-in user, and answers only what that user may see. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["comments.list"];
        put?: never;
        /**
         * Create a comment
         * @description Create a comment. Needs a signed-in user, and answers only what that user may see.
         */
        post: operations["comments.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/comments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a comment
         * @description Read a comment. Needs a signed-in user, and answers only what that user may see.
         */
        get: operations["comments.read"];
        /**
         * Replace a comment
         * @description Replace a comment. Needs a signed-in user, and answers only what that user may see. Takes no write without `If-Match` (428).
         */
        put: operations["comments.replace"];
        post?: never;
        /**
         * Delete a comment and all that belongs to it
         * @description Delete a comment and all that belongs to it. Needs a signed-in user, and answers only what that user may see. Takes no write without `If-Match` (428).
         */
        delete: operations["comments.delete"];
        options?: never;
        head?: never;
        /**
         * Change some members of a comment (JSON merge patch, RFC 7396)
         * @description Change some members of a comment (JSON merge patch, RFC 7396). Needs a signed-in user, and answers only what that user may see. Takes no write without `If-Match` (428).
         */
        patch: operations["comments.update"];
        trace?: never;
    };
    "/webhooks/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver a webhook; the signature is the credential
         * @description Deliver a webhook; the signature is the credential. The signature is the credential.
         */
        post: operations["webhooks.receive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook events
         * @description List webhook events. For administrators. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["admin.events.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook event with its body and its jobs
         * @description Read a webhook event with its body and its jobs. For administrators.
         */
        get: operations["admin.events.read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/events/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a dead, cancelled, ignored or quarantined event again
         * @description Run a dead, cancelled, ignored or quarantined event again. For administrators.
         */
        post: operations["admin.events.replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List background jobs
         * @description List background jobs. For administrators. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["admin.jobs.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a job with its failures
         * @description Read a job with its failures. For administrators.
         */
        get: operations["admin.jobs.read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a dead or cancelled job again, or one that waits for its time at once
         * @description Run a dead or cancelled job again, or one that waits for its time at once. For administrators.
         */
        post: operations["admin.jobs.retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a job; one that runs is told to stop, and a dead one lets its order key go
         * @description End a job; one that runs is told to stop, and a dead one lets its order key go. For administrators.
         */
        post: operations["admin.jobs.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the queues that are paused or have waiting jobs
         * @description List the queues that are paused or have waiting jobs. For administrators.
         */
        get: operations["admin.queues.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/queues/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start no more jobs of a queue; those that run go on, and new ones are taken
         * @description Start no more jobs of a queue; those that run go on, and new ones are taken. For administrators.
         */
        post: operations["admin.queues.pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/queues/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start the jobs of a paused queue again
         * @description Start the jobs of a paused queue again. For administrators.
         */
        post: operations["admin.queues.resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count jobs by state, and list queues and runners
         * @description Count jobs by state, and list queues and runners. For administrators.
         */
        get: operations["admin.stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the senders of webhooks
         * @description List the senders of webhooks. For administrators. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["admin.providers.list"];
        put?: never;
        /**
         * Add a sender of webhooks
         * @description Add a sender of webhooks. For administrators.
         */
        post: operations["admin.providers.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/providers/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a sender of webhooks
         * @description Read a sender of webhooks. For administrators.
         */
        get: operations["admin.providers.read"];
        put?: never;
        post?: never;
        /**
         * Remove a sender of webhooks; its events stay
         * @description Remove a sender of webhooks; its events stay. For administrators.
         */
        delete: operations["admin.providers.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/providers/{name}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a sender a new key; the old ones stay good for a while
         * @description Give a sender a new key; the old ones stay good for a while. For administrators.
         */
        post: operations["admin.providers.rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/providers/{name}/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a sender's key at once
         * @description End a sender's key at once. For administrators.
         */
        delete: operations["admin.providers.deleteKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/events/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run all events again that match, oldest first
         * @description Run all events again that match, oldest first. For administrators.
         */
        post: operations["admin.events.replayMany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was done, by whom
         * @description List what was done, by whom. For administrators. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["admin.audit.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This version as an OpenAPI document
         * @description This version as an OpenAPI document. Anyone may call this.
         */
        get: operations["about.openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This version as a page to read and to try out
         * @description This version as a page to read and to try out. Anyone may call this.
         */
        get: operations["about.docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/deprecations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show who still uses what will go away
         * @description Show who still uses what will go away. For administrators.
         */
        get: operations["admin.deprecations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        comment: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
            /**
             * Format: uuid
             * @description The post it stands under.
             */
            post_id?: string;
            /**
             * Format: uuid
             * @description Who wrote it.
             */
            user_id?: string;
            /**
             * @description The text.
             * @example Just as the loom weaves flowers.
             */
            body?: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at?: string;
        };
        comment_author: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
            /**
             * @description What the user is called.
             * @example Ada Lovelace
             */
            name?: string;
            /**
             * Format: email
             * @description The address to sign in with, unique; kept in lower case.
             */
            email?: string;
            /**
             * @description A telephone number.
             * @example +44 20 7946 0000
             */
            phone?: string | null;
            /**
             * @description A postal address.
             * @example 12 St James's Square, London
             */
            address?: string | null;
            /**
             * @description Settings of the user's own choosing.
             * @example {
             *       "theme": "dark"
             *     }
             */
            preferences?: {
                [key: string]: unknown;
            };
            /** @description The user's subscription. */
            subscription?: {
                /**
                 * @description Where the user's subscription stands.
                 * @enum {string}
                 */
                status: "none" | "trialing" | "active" | "past_due" | "canceled";
                /**
                 * @description Since when; null from the beginning.
                 * @default null
                 */
                since: string | null;
            };
            /**
             * @description What the user may do.
             * @enum {string}
             */
            role?: "user" | "admin";
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at?: string;
            /** @description With `include`: the first 20 that you may read. */
            posts?: {
                data: components["schemas"]["post"][];
                page: {
                    /** Format: int32 */
                    limit: number;
                    /** @description Whether there is a next page. */
                    has_more: boolean;
                    next_cursor: string | null;
                    prev_cursor: string | null;
                };
                /** @description The list itself. */
                link: string;
            };
        };
        comment_create: {
            /**
             * @description The text.
             * @example Just as the loom weaves flowers.
             */
            body: string;
        };
        comment_post: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
            /**
             * Format: uuid
             * @description Who wrote it.
             */
            user_id?: string;
            /**
             * @description The headline.
             * @example On the Analytical Engine
             */
            title?: string;
            /**
             * @description The text.
             * @example It weaves algebraic patterns.
             */
            body?: string;
            /**
             * @description A draft and an archived post are seen by their author only.
             * @enum {string}
             */
            status?: "draft" | "published" | "archived";
            /** @description When it was first published. */
            published_at?: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at?: string;
            /** @description With `include`; null when you may not read it. */
            author?: components["schemas"]["user"] | null;
            /** @description With `include`: the first 20 that you may read. */
            comments?: {
                data: components["schemas"]["comment"][];
                page: {
                    /** Format: int32 */
                    limit: number;
                    /** @description Whether there is a next page. */
                    has_more: boolean;
                    next_cursor: string | null;
                    prev_cursor: string | null;
                };
                /** @description The list itself. */
                link: string;
            };
        };
        comment_replace: {
            /**
             * @description The text.
             * @example Just as the loom weaves flowers.
             */
            body: string;
            /** @description The id, made by the server. */
            readonly id?: unknown;
            /** @description The post it stands under. */
            readonly post_id?: unknown;
            /** @description Who wrote it. */
            readonly user_id?: unknown;
            /** @description When it was created. */
            readonly created_at?: unknown;
            /** @description When it was last changed. */
            readonly updated_at?: unknown;
        };
        comment_update: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id?: string;
            /**
             * Format: uuid
             * @description The post it stands under.
             */
            post_id?: string;
            /**
             * Format: uuid
             * @description Who wrote it.
             */
            user_id?: string;
            /**
             * @description The text.
             * @example Just as the loom weaves flowers.
             */
            body?: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at?: string;
        };
        comment_with_relations: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
            /**
             * Format: uuid
             * @description The post it stands under.
             */
            post_id?: string;
            /**
             * Format: uuid
             * @description Who wrote it.
             */
            user_id?: string;
            /**
             * @description The text.
             * @example Just as the loom weaves flowers.
             */
            body?: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at?: string;
            /** @description With `include`; null when you may not read it. */
            post?: components["schemas"]["comment_post"] | null;
            /** @description With `include`; null when you may not read it. */
            author?: components["schemas"]["comment_author"] | null;
        };
        post: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
            /**
             * Format: uuid
             * @description Who wrote it.
             */
            user_id?: string;
            /**
             * @description The headline.
             * @example On the Analytical Engine
             */
            title?: string;
            /**
             * @description The text.
             * @example It weaves algebraic patterns.
             */
            body?: string;
            /**
             * @description A draft and an archived post are seen by their author only.
             * @enum {string}
             */
            status?: "draft" | "published" | "archived";
            /** @description When it was first published. */
            published_at?: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at?: string;
        };
        post_author: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
            /**
             * @description What the user is called.
             * @example Ada Lovelace
             */
            name?: string;
            /**
             * Format: email
             * @description The address to sign in with, unique; kept in lower case.
             */
            email?: string;
            /**
             * @description A telephone number.
             * @example +44 20 7946 0000
             */
            phone?: string | null;
            /**
             * @description A postal address.
             * @example 12 St James's Square, London
             */
            address?: string | null;
            /**
             * @description Settings of the user's own choosing.
             * @example {
             *       "theme": "dark"
             *     }
             */
            preferences?: {
                [key: string]: unknown;
            };
            /** @description The user's subscription. */
            subscription?: {
                /**
                 * @description Where the user's subscription stands.
                 * @enum {string}
                 */
                status: "none" | "trialing" | "active" | "past_due" | "canceled";
                /**
                 * @description Since when; null from the beginning.
                 * @default null
                 */
                since: string | null;
            };
            /**
             * @description What the user may do.
             * @enum {string}
             */
            role?: "user" | "admin";
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at?: string;
            /** @description With `include`: the first 20 that you may read. */
            posts?: {
                data: components["schemas"]["post"][];
                page: {
                    /** Format: int32 */
                    limit: number;
                    /** @description Whether there is a next page. */
                    has_more: boolean;
                    next_cursor: string | null;
                    prev_cursor: string | null;
                };
                /** @description The list itself. */
                link: string;
            };
        };
        post_comments: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
            /**
             * Format: uuid
             * @description The post it stands under.
             */
            post_id?: string;
            /**
             * Format: uuid
             * @description Who wrote it.
             */
            user_id?: string;
            /**
             * @description The text.
             * @example Just as the loom weaves flowers.
             */
            body?: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at?: string;
            /** @description With `include`; null when you may not read it. */
            post?: components["schemas"]["post"] | null;
            /** @description With `include`; null when you may not read it. */
            author?: components["schemas"]["user"] | null;
        };
        post_create: {
            /**
             * @description The headline.
             * @example On the Analytical Engine
             */
            title: string;
            /**
             * @description The text.
             * @example It weaves algebraic patterns.
             */
            body: string;
            /**
             * @description A draft and an archived post are seen by their author only.
             * @default draft
             * @enum {string}
             */
            status?: "draft" | "published" | "archived";
        };
        post_replace: {
            /**
             * @description The headline.
             * @example On the Analytical Engine
             */
            title: string;
            /**
             * @description The text.
             * @example It weaves algebraic patterns.
             */
            body: string;
            /**
             * @description A draft and an archived post are seen by their author only.
             * @default draft
             * @enum {string}
             */
            status?: "draft" | "published" | "archived";
            /** @description The id, made by the server. */
            readonly id?: unknown;
            /** @description Who wrote it. */
            readonly user_id?: unknown;
            /** @description When it was first published. */
            readonly published_at?: unknown;
            /** @description When it was created. */
            readonly created_at?: unknown;
            /** @description When it was last changed. */
            readonly updated_at?: unknown;
        };
        post_update: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id?: string;
            /**
             * Format: uuid
             * @description Who wrote it.
             */
            user_id?: string;
            /**
             * @description The headline.
             * @example On the Analytical Engine
             */
            title?: string;
            /**
             * @description The text.
             * @example It weaves algebraic patterns.
             */
            body?: string;
            /**
             * @description A draft and an archived post are seen by their author only.
             * @enum {string}
             */
            status?: "draft" | "published" | "archived";
            /** @description When it was first published. */
            published_at?: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at?: string;
        };
        post_with_relations: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
            /**
             * Format: uuid
             * @description Who wrote it.
             */
            user_id?: string;
            /**
             * @description The headline.
             * @example On the Analytical Engine
             */
            title?: string;
            /**
             * @description The text.
             * @example It weaves algebraic patterns.
             */
            body?: string;
            /**
             * @description A draft and an archived post are seen by their author only.
             * @enum {string}
             */
            status?: "draft" | "published" | "archived";
            /** @description When it was first published. */
            published_at?: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at?: string;
            /** @description With `include`; null when you may not read it. */
            author?: components["schemas"]["post_author"] | null;
            /** @description With `include`: the first 20 that you may read. */
            comments?: {
                data: components["schemas"]["post_comments"][];
                page: {
                    /** Format: int32 */
                    limit: number;
                    /** @description Whether there is a next page. */
                    has_more: boolean;
                    next_cursor: string | null;
                    prev_cursor: string | null;
                };
                /** @description The list itself. */
                link: string;
            };
        };
        problem: {
            /**
             * Format: uri-reference
             * @description Where the code is explained.
             */
            type: string;
            title: string;
            /** Format: int32 */
            status: number;
            /** @description What was wrong, and what to do. */
            detail?: string;
            /**
             * Format: uri-reference
             * @description The path of the request.
             */
            instance: string;
            /** @description Stable: what programs go by. */
            code: string;
            request_id: string;
            /** @description Each thing that was wrong, with its place. */
            errors?: {
                /**
                 * Format: json-pointer
                 * @description The member of the body (RFC 6901).
                 */
                pointer?: string;
                /** @description The query parameter. */
                parameter?: string;
                /** @description The request header. */
                header?: string;
                code: string;
                detail: string;
            }[];
        } & {
            [key: string]: unknown;
        };
        session_user: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
            /**
             * @description What the user is called.
             * @example Ada Lovelace
             */
            name?: string;
            /**
             * Format: email
             * @description The address to sign in with, unique; kept in lower case.
             */
            email?: string;
            /**
             * @description A telephone number.
             * @example +44 20 7946 0000
             */
            phone?: string | null;
            /**
             * @description A postal address.
             * @example 12 St James's Square, London
             */
            address?: string | null;
            /**
             * @description Settings of the user's own choosing.
             * @example {
             *       "theme": "dark"
             *     }
             */
            preferences?: {
                [key: string]: unknown;
            };
            /** @description The user's subscription. */
            subscription?: {
                /**
                 * @description Where the user's subscription stands.
                 * @enum {string}
                 */
                status: "none" | "trialing" | "active" | "past_due" | "canceled";
                /**
                 * @description Since when; null from the beginning.
                 * @default null
                 */
                since: string | null;
            };
            /**
             * @description What the user may do.
             * @enum {string}
             */
            role?: "user" | "admin";
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at?: string;
            /** @description With `include`: the first 20 that you may read. */
            posts?: {
                data: components["schemas"]["post"][];
                page: {
                    /** Format: int32 */
                    limit: number;
                    /** @description Whether there is a next page. */
                    has_more: boolean;
                    next_cursor: string | null;
                    prev_cursor: string | null;
                };
                /** @description The list itself. */
                link: string;
            };
        };
        session_with_relations: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
            /**
             * Format: uuid
             * @description Whose it is.
             */
            user_id?: string;
            /**
             * Format: date-time
             * @description When it was last refreshed.
             */
            last_used_at?: string;
            /**
             * Format: date-time
             * @description When it ends unless it is refreshed.
             */
            expires_at?: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at?: string;
            /** @description With `include`; null when you may not read it. */
            user?: components["schemas"]["session_user"] | null;
        };
        user: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
            /**
             * @description What the user is called.
             * @example Ada Lovelace
             */
            name?: string;
            /**
             * Format: email
             * @description The address to sign in with, unique; kept in lower case.
             */
            email?: string;
            /**
             * @description A telephone number.
             * @example +44 20 7946 0000
             */
            phone?: string | null;
            /**
             * @description A postal address.
             * @example 12 St James's Square, London
             */
            address?: string | null;
            /**
             * @description Settings of the user's own choosing.
             * @example {
             *       "theme": "dark"
             *     }
             */
            preferences?: {
                [key: string]: unknown;
            };
            /** @description The user's subscription. */
            subscription?: {
                /**
                 * @description Where the user's subscription stands.
                 * @enum {string}
                 */
                status: "none" | "trialing" | "active" | "past_due" | "canceled";
                /**
                 * @description Since when; null from the beginning.
                 * @default null
                 */
                since: string | null;
            };
            /**
             * @description What the user may do.
             * @enum {string}
             */
            role?: "user" | "admin";
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at?: string;
        };
        user_posts: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
            /**
             * Format: uuid
             * @description Who wrote it.
             */
            user_id?: string;
            /**
             * @description The headline.
             * @example On the Analytical Engine
             */
            title?: string;
            /**
             * @description The text.
             * @example It weaves algebraic patterns.
             */
            body?: string;
            /**
             * @description A draft and an archived post are seen by their author only.
             * @enum {string}
             */
            status?: "draft" | "published" | "archived";
            /** @description When it was first published. */
            published_at?: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at?: string;
            /** @description With `include`; null when you may not read it. */
            author?: components["schemas"]["user"] | null;
        };
        user_replace: {
            /**
             * @description What the user is called.
             * @example Ada Lovelace
             */
            name: string;
            /**
             * Format: email
             * @description The address to sign in with, unique; kept in lower case.
             */
            email: string;
            /**
             * @description A telephone number.
             * @default null
             * @example +44 20 7946 0000
             */
            phone?: string | null;
            /**
             * @description A postal address.
             * @default null
             * @example 12 St James's Square, London
             */
            address?: string | null;
            /**
             * @description Settings of the user's own choosing.
             * @default {}
             * @example {
             *       "theme": "dark"
             *     }
             */
            preferences?: {
                [key: string]: unknown;
            };
            /** @description The user's subscription. */
            subscription?: {
                /**
                 * @description Where the user's subscription stands.
                 * @enum {string}
                 */
                status: "none" | "trialing" | "active" | "past_due" | "canceled";
                /**
                 * @description Since when; null from the beginning.
                 * @default null
                 */
                since?: string | null;
            };
            /**
             * @description What the user may do.
             * @enum {string}
             */
            role?: "user" | "admin";
            /** @description The id, made by the server. */
            readonly id?: unknown;
            /** @description When it was created. */
            readonly created_at?: unknown;
            /** @description When it was last changed. */
            readonly updated_at?: unknown;
        };
        user_sign_up: {
            /**
             * @description What the user is called.
             * @example Ada Lovelace
             */
            name: string;
            /**
             * Format: email
             * @description The address to sign in with, unique; kept in lower case.
             */
            email: string;
            /**
             * @description A telephone number.
             * @default null
             * @example +44 20 7946 0000
             */
            phone?: string | null;
            /**
             * @description A postal address.
             * @default null
             * @example 12 St James's Square, London
             */
            address?: string | null;
            /**
             * @description Settings of the user's own choosing.
             * @default {}
             * @example {
             *       "theme": "dark"
             *     }
             */
            preferences?: {
                [key: string]: unknown;
            };
            /** @description The user's subscription. */
            subscription?: {
                /**
                 * @description Where the user's subscription stands.
                 * @enum {string}
                 */
                status: "none" | "trialing" | "active" | "past_due" | "canceled";
                /**
                 * @description Since when; null from the beginning.
                 * @default null
                 */
                since?: string | null;
            };
            /**
             * @description What the user may do.
             * @enum {string}
             */
            role?: "user" | "admin";
            /** @description 8 to 128 characters of any kind. */
            password: string;
        };
        user_update: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id?: string;
            /**
             * @description What the user is called.
             * @example Ada Lovelace
             */
            name?: string;
            /**
             * Format: email
             * @description The address to sign in with, unique; kept in lower case.
             */
            email?: string;
            /**
             * @description A telephone number.
             * @example +44 20 7946 0000
             */
            phone?: string | null;
            /**
             * @description A postal address.
             * @example 12 St James's Square, London
             */
            address?: string | null;
            /**
             * @description Settings of the user's own choosing.
             * @example {
             *       "theme": "dark"
             *     }
             */
            preferences?: {
                [key: string]: unknown;
            };
            /** @description The user's subscription. */
            subscription?: {
                /**
                 * @description Where the user's subscription stands.
                 * @enum {string}
                 */
                status: "none" | "trialing" | "active" | "past_due" | "canceled";
                /**
                 * @description Since when; null from the beginning.
                 * @default null
                 */
                since?: string | null;
            };
            /**
             * @description What the user may do.
             * @enum {string}
             */
            role?: "user" | "admin";
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at?: string;
        };
        user_with_relations: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
            /**
             * @description What the user is called.
             * @example Ada Lovelace
             */
            name?: string;
            /**
             * Format: email
             * @description The address to sign in with, unique; kept in lower case.
             */
            email?: string;
            /**
             * @description A telephone number.
             * @example +44 20 7946 0000
             */
            phone?: string | null;
            /**
             * @description A postal address.
             * @example 12 St James's Square, London
             */
            address?: string | null;
            /**
             * @description Settings of the user's own choosing.
             * @example {
             *       "theme": "dark"
             *     }
             */
            preferences?: {
                [key: string]: unknown;
            };
            /** @description The user's subscription. */
            subscription?: {
                /**
                 * @description Where the user's subscription stands.
                 * @enum {string}
                 */
                status: "none" | "trialing" | "active" | "past_due" | "canceled";
                /**
                 * @description Since when; null from the beginning.
                 * @default null
                 */
                since: string | null;
            };
            /**
             * @description What the user may do.
             * @enum {string}
             */
            role?: "user" | "admin";
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at?: string;
            /** @description With `include`: the first 20 that you may read. */
            posts?: {
                data: components["schemas"]["user_posts"][];
                page: {
                    /** Format: int32 */
                    limit: number;
                    /** @description Whether there is a next page. */
                    has_more: boolean;
                    next_cursor: string | null;
                    prev_cursor: string | null;
                };
                /** @description The list itself. */
                link: string;
            };
        };
    };
    responses: {
        /** @description The request as such cannot be answered, whatever it asks for: its `code` says why. */
        Other: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The request's id, for the log and for questions; the one that was sent, or a new one. */
        "X-Request-Id": string;
        /** @description The version that answered. */
        "API-Version": string;
        /** @description What this answer shows, as a tag for `If-Match` and `If-None-Match` (RFC 9110, section 8.8.3). */
        ETag: string;
        /** @description When the row was last changed, to the second. */
        "Last-Modified": string;
        /** @description Where the new thing is. */
        Location: string;
        /** @description The first page of a list and the pages beside this one (RFC 8288): `first`, `prev`, `next`. Of what will go away: `deprecation` and `sunset` say what to do, `successor-version` is what takes its place. */
        Link: string;
        /** @description The one address of what `/users/me` stands for. */
        "Content-Location": string;
        /** @description The preference that was honoured (RFC 7240). */
        "Preference-Applied": string;
        /** @description Stands on the answer to a request that was answered before under its `Idempotency-Key`. */
        "Idempotency-Replayed": "true";
        /** @description The limits that hold here: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers). */
        "RateLimit-Policy": string;
        /** @description What is left of each limit: `r` requests at once, all of them in `t` seconds. */
        RateLimit: string;
        /** @description How to authenticate (RFC 6750, section 3). */
        "WWW-Authenticate": string;
        /** @description Seconds after which it is worth trying again. */
        "Retry-After": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "sessions.list": {
        parameters: {
            query?: {
                /** @description How many items at the most, 1 to 100; 20 unless given. */
                limit?: string;
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, sort and filter. */
                cursor?: string;
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: "true" | "false";
                /** @description Comma-separated names of the fields to answer with; `id` always comes. All of them unless given. */
                fields?: string;
                /** @description Related rows to answer with, comma-separated, as far as you may read them: user, user.posts. Of many the first 20 come. */
                include?: string;
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: string;
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: string;
                /** @description Up to 3 fields to order by, comma-separated, with `-` in front for descending; by `id` (oldest first) unless given. Text is ordered by code point; what has no value comes last. Fields: id, created_at, updated_at. */
                sort?: string;
                /** @description Only those whose `id` is this. */
                "filter[id]"?: string;
                /** @description Only those whose `id` is this. */
                "filter[id][eq]"?: string;
                /** @description Only those whose `id` has another value than this. */
                "filter[id][ne]"?: string;
                /** @description Only those whose `id` is one of these, comma-separated, 50 at the most. */
                "filter[id][in]"?: string;
                /** @description Only those whose `id` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[id][nin]"?: string;
                /** @description Only those whose `created_at` is this. */
                "filter[created_at]"?: string;
                /** @description Only those whose `created_at` is this. */
                "filter[created_at][eq]"?: string;
                /** @description Only those whose `created_at` has another value than this. */
                "filter[created_at][ne]"?: string;
                /** @description Only those whose `created_at` is less than this. */
                "filter[created_at][lt]"?: string;
                /** @description Only those whose `created_at` is this or less. */
                "filter[created_at][lte]"?: string;
                /** @description Only those whose `created_at` is more than this. */
                "filter[created_at][gt]"?: string;
                /** @description Only those whose `created_at` is this or more. */
                "filter[created_at][gte]"?: string;
                /** @description Only those whose `created_at` is one of these, comma-separated, 50 at the most. */
                "filter[created_at][in]"?: string;
                /** @description Only those whose `created_at` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[created_at][nin]"?: string;
                /** @description Only those whose `updated_at` is this. */
                "filter[updated_at]"?: string;
                /** @description Only those whose `updated_at` is this. */
                "filter[updated_at][eq]"?: string;
                /** @description Only those whose `updated_at` has another value than this. */
                "filter[updated_at][ne]"?: string;
                /** @description Only those whose `updated_at` is less than this. */
                "filter[updated_at][lt]"?: string;
                /** @description Only those whose `updated_at` is this or less. */
                "filter[updated_at][lte]"?: string;
                /** @description Only those whose `updated_at` is more than this. */
                "filter[updated_at][gt]"?: string;
                /** @description Only those whose `updated_at` is this or more. */
                "filter[updated_at][gte]"?: string;
                /** @description Only those whose `updated_at` is one of these, comma-separated, 50 at the most. */
                "filter[updated_at][in]"?: string;
                /** @description Only those whose `updated_at` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[updated_at][nin]"?: string;
            };
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, oldest first unless `sort` says otherwise. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *           "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *           "last_used_at": "2026-11-21T08:30:00.000Z",
                     *           "expires_at": "2026-11-21T08:30:00.000Z",
                     *           "created_at": "2026-11-21T08:30:00.000Z",
                     *           "updated_at": "2026-11-21T08:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": {
                     *         "limit": 1,
                     *         "has_more": true,
                     *         "next_cursor": "text",
                     *         "prev_cursor": "text",
                     *         "total": 0,
                     *         "total_is_exact": true,
                     *         "total_is_minimum": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["session_with_relations"][];
                        page: {
                            /** Format: int32 */
                            limit: number;
                            /** @description Whether there is a next page. */
                            has_more: boolean;
                            next_cursor: string | null;
                            prev_cursor: string | null;
                            /**
                             * Format: int32
                             * @description With `total=true`: how many rows the list has.
                             */
                            total?: number;
                            /** @description Whether the list has as many rows as `total` says; false: it has more than 10000. */
                            total_is_exact?: boolean;
                            /** @description The opposite of `total_is_exact`. */
                            total_is_minimum?: boolean;
                        };
                    };
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_fields`: The fields parameter names something that cannot be selected. `invalid_sort`: The sort parameter names something that this list cannot be sorted by. `invalid_filter`: A filter is none that this list has, or its value is not valid. `invalid_include`: The include parameter names something that cannot be included. `invalid_cursor`: The cursor was not issued for this list. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. `query_too_slow`: The list takes too long to read in this way. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "sessions.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "text",
                 *       "password": "text"
                 *     }
                 */
                "application/json": {
                    email: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description A pair of tokens. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "text",
                     *       "token_type": "Bearer",
                     *       "expires_in": 0,
                     *       "refresh_token": "text"
                     *     }
                     */
                    "application/json": {
                        /** @description Send it as `Authorization: Bearer …`. */
                        access_token: string;
                        /** @constant */
                        token_type: "Bearer";
                        /**
                         * Format: int64
                         * @description Seconds.
                         */
                        expires_in: number;
                        /** @description Good for one exchange. */
                        refresh_token: string;
                    };
                };
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_json`: The request body is not valid JSON. `validation_failed`: The request is not valid. `unknown_field`: The request names a field that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. `invalid_credentials`: The email or the password is wrong. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "sessions.refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "text"
                 *     }
                 */
                "application/json": {
                    refresh_token: string;
                };
            };
        };
        responses: {
            /** @description A new pair of tokens; the old refresh token is used up. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "text",
                     *       "token_type": "Bearer",
                     *       "expires_in": 0,
                     *       "refresh_token": "text"
                     *     }
                     */
                    "application/json": {
                        /** @description Send it as `Authorization: Bearer …`. */
                        access_token: string;
                        /** @constant */
                        token_type: "Bearer";
                        /**
                         * Format: int64
                         * @description Seconds.
                         */
                        expires_in: number;
                        /** @description Good for one exchange. */
                        refresh_token: string;
                    };
                };
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_json`: The request body is not valid JSON. `validation_failed`: The request is not valid. `unknown_field`: The request names a field that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "sessions.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has ended. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "users.list": {
        parameters: {
            query?: {
                /** @description How many items at the most, 1 to 100; 20 unless given. */
                limit?: string;
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, sort and filter. */
                cursor?: string;
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: "true" | "false";
                /** @description Comma-separated names of the fields to answer with; `id` always comes. All of them unless given. */
                fields?: string;
                /** @description Related rows to answer with, comma-separated, as far as you may read them: posts, posts.author. Of many the first 20 come. */
                include?: string;
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: string;
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: string;
                /** @description Up to 3 fields to order by, comma-separated, with `-` in front for descending; by `id` (oldest first) unless given. Text is ordered by code point; what has no value comes last. Fields: id, name, email, created_at, updated_at. */
                sort?: string;
                /** @description Only those whose `id` is this. */
                "filter[id]"?: string;
                /** @description Only those whose `id` is this. */
                "filter[id][eq]"?: string;
                /** @description Only those whose `id` has another value than this. */
                "filter[id][ne]"?: string;
                /** @description Only those whose `id` is one of these, comma-separated, 50 at the most. */
                "filter[id][in]"?: string;
                /** @description Only those whose `id` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[id][nin]"?: string;
                /** @description Only those whose `name` is this. */
                "filter[name]"?: string;
                /** @description Only those whose `name` is this. */
                "filter[name][eq]"?: string;
                /** @description Only those whose `name` has another value than this. */
                "filter[name][ne]"?: string;
                /** @description Only those whose `name` is one of these, comma-separated, 50 at the most. */
                "filter[name][in]"?: string;
                /** @description Only those whose `name` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[name][nin]"?: string;
                /** @description Only those whose `name` contains this text, A to Z being the same as a to z. */
                "filter[name][contains]"?: string;
                /** @description Only those whose `name` begins with this text, A to Z being the same as a to z. */
                "filter[name][starts_with]"?: string;
                /** @description Only those whose `email` is this. */
                "filter[email]"?: string;
                /** @description Only those whose `email` is this. */
                "filter[email][eq]"?: string;
                /** @description Only those whose `email` has another value than this. */
                "filter[email][ne]"?: string;
                /** @description Only those whose `email` is one of these, comma-separated, 50 at the most. */
                "filter[email][in]"?: string;
                /** @description Only those whose `email` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[email][nin]"?: string;
                /** @description Only those whose `email` contains this text, A to Z being the same as a to z. */
                "filter[email][contains]"?: string;
                /** @description Only those whose `email` begins with this text, A to Z being the same as a to z. */
                "filter[email][starts_with]"?: string;
                /** @description Only those whose `role` is this. */
                "filter[role]"?: string;
                /** @description Only those whose `role` is this. */
                "filter[role][eq]"?: string;
                /** @description Only those whose `role` has another value than this. */
                "filter[role][ne]"?: string;
                /** @description Only those whose `role` is one of these, comma-separated, 50 at the most. */
                "filter[role][in]"?: string;
                /** @description Only those whose `role` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[role][nin]"?: string;
                /** @description Only those whose `created_at` is this. */
                "filter[created_at]"?: string;
                /** @description Only those whose `created_at` is this. */
                "filter[created_at][eq]"?: string;
                /** @description Only those whose `created_at` has another value than this. */
                "filter[created_at][ne]"?: string;
                /** @description Only those whose `created_at` is less than this. */
                "filter[created_at][lt]"?: string;
                /** @description Only those whose `created_at` is this or less. */
                "filter[created_at][lte]"?: string;
                /** @description Only those whose `created_at` is more than this. */
                "filter[created_at][gt]"?: string;
                /** @description Only those whose `created_at` is this or more. */
                "filter[created_at][gte]"?: string;
                /** @description Only those whose `created_at` is one of these, comma-separated, 50 at the most. */
                "filter[created_at][in]"?: string;
                /** @description Only those whose `created_at` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[created_at][nin]"?: string;
                /** @description Only those whose `updated_at` is this. */
                "filter[updated_at]"?: string;
                /** @description Only those whose `updated_at` is this. */
                "filter[updated_at][eq]"?: string;
                /** @description Only those whose `updated_at` has another value than this. */
                "filter[updated_at][ne]"?: string;
                /** @description Only those whose `updated_at` is less than this. */
                "filter[updated_at][lt]"?: string;
                /** @description Only those whose `updated_at` is this or less. */
                "filter[updated_at][lte]"?: string;
                /** @description Only those whose `updated_at` is more than this. */
                "filter[updated_at][gt]"?: string;
                /** @description Only those whose `updated_at` is this or more. */
                "filter[updated_at][gte]"?: string;
                /** @description Only those whose `updated_at` is one of these, comma-separated, 50 at the most. */
                "filter[updated_at][in]"?: string;
                /** @description Only those whose `updated_at` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[updated_at][nin]"?: string;
            };
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, oldest first unless `sort` says otherwise. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *           "name": "Ada Lovelace",
                     *           "email": "ada@example.com",
                     *           "phone": "+44 20 7946 0000",
                     *           "address": "12 St James's Square, London",
                     *           "preferences": {
                     *             "theme": "dark"
                     *           },
                     *           "subscription": {
                     *             "status": "none",
                     *             "since": null
                     *           },
                     *           "role": "user",
                     *           "created_at": "2026-11-21T08:30:00.000Z",
                     *           "updated_at": "2026-11-21T08:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": {
                     *         "limit": 1,
                     *         "has_more": true,
                     *         "next_cursor": "text",
                     *         "prev_cursor": "text",
                     *         "total": 0,
                     *         "total_is_exact": true,
                     *         "total_is_minimum": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["user_with_relations"][];
                        page: {
                            /** Format: int32 */
                            limit: number;
                            /** @description Whether there is a next page. */
                            has_more: boolean;
                            next_cursor: string | null;
                            prev_cursor: string | null;
                            /**
                             * Format: int32
                             * @description With `total=true`: how many rows the list has.
                             */
                            total?: number;
                            /** @description Whether the list has as many rows as `total` says; false: it has more than 10000. */
                            total_is_exact?: boolean;
                            /** @description The opposite of `total_is_exact`. */
                            total_is_minimum?: boolean;
                        };
                    };
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_fields`: The fields parameter names something that cannot be selected. `invalid_sort`: The sort parameter names something that this list cannot be sorted by. `invalid_filter`: A filter is none that this list has, or its value is not valid. `invalid_include`: The include parameter names something that cannot be included. `invalid_cursor`: The cursor was not issued for this list. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. `query_too_slow`: The list takes too long to read in this way. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "users.create": {
        parameters: {
            query?: {
                /** @description Comma-separated names of the fields to answer with; `id` always comes. All of them unless given. */
                fields?: string;
            };
            header?: {
                /** @description A text of your own, a UUID say. A request that is sent again with it within 24 hours takes effect once and is answered the same. */
                "Idempotency-Key"?: string;
                /** @description `return=minimal` leaves the row out of the answer (RFC 7240). */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ada Lovelace",
                 *       "email": "ada@example.com",
                 *       "phone": "+44 20 7946 0000",
                 *       "address": "12 St James's Square, London",
                 *       "preferences": {
                 *         "theme": "dark"
                 *       },
                 *       "subscription": {
                 *         "status": "none",
                 *         "since": null
                 *       },
                 *       "role": "user",
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": components["schemas"]["user_sign_up"];
            };
        };
        responses: {
            /** @description The new user. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "name": "Ada Lovelace",
                     *       "email": "ada@example.com",
                     *       "phone": "+44 20 7946 0000",
                     *       "address": "12 St James's Square, London",
                     *       "preferences": {
                     *         "theme": "dark"
                     *       },
                     *       "subscription": {
                     *         "status": "none",
                     *         "since": null
                     *       },
                     *       "role": "user",
                     *       "created_at": "2026-11-21T08:30:00.000Z",
                     *       "updated_at": "2026-11-21T08:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["user"];
                };
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_json`: The request body is not valid JSON. `validation_failed`: The request is not valid. `unknown_field`: The request names a field that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `field_read_only`: The request changes a field that cannot be written. `invalid_fields`: The fields parameter names something that cannot be selected. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. `unauthenticated`: This needs a credential. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_in_progress`: A request with this key is being answered. `conflict`: A value that must be unique is taken. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used with another request. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "users.change-password": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: string;
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current_password": "text",
                 *       "new_password": "correct horse battery"
                 *     }
                 */
                "application/json": {
                    current_password?: string;
                    /** @description 8 to 128 characters of any kind. */
                    new_password: string;
                };
            };
        };
        responses: {
            /** @description Changed. Sign in with the new one. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Content-Location": components["headers"]["Content-Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_json`: The request body is not valid JSON. `validation_failed`: The request is not valid. `unknown_field`: The request names a field that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. `invalid_credentials`: The email or the password is wrong. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "users.read": {
        parameters: {
            query?: {
                /** @description Comma-separated names of the fields to answer with; `id` always comes. All of them unless given. */
                fields?: string;
                /** @description Related rows to answer with, comma-separated, as far as you may read them: posts, posts.author. Of many the first 20 come. */
                include?: string;
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: string;
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: string;
            };
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Content-Location": components["headers"]["Content-Location"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "name": "Ada Lovelace",
                     *       "email": "ada@example.com",
                     *       "phone": "+44 20 7946 0000",
                     *       "address": "12 St James's Square, London",
                     *       "preferences": {
                     *         "theme": "dark"
                     *       },
                     *       "subscription": {
                     *         "status": "none",
                     *         "since": null
                     *       },
                     *       "role": "user",
                     *       "created_at": "2026-11-21T08:30:00.000Z",
                     *       "updated_at": "2026-11-21T08:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["user_with_relations"];
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Content-Location": components["headers"]["Content-Location"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_fields`: The fields parameter names something that cannot be selected. `invalid_include`: The include parameter names something that cannot be included. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "users.replace": {
        parameters: {
            query?: {
                /** @description Comma-separated names of the fields to answer with; `id` always comes. All of them unless given. */
                fields?: string;
            };
            header: {
                /** @description The `ETag` of what you read: the write happens only while that is still what there is. `*` writes whatever is there. */
                "If-Match": string;
                /** @description `return=minimal` leaves the row out of the answer (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: string;
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ada Lovelace",
                 *       "email": "ada@example.com",
                 *       "phone": "+44 20 7946 0000",
                 *       "address": "12 St James's Square, London",
                 *       "preferences": {
                 *         "theme": "dark"
                 *       },
                 *       "subscription": {
                 *         "status": "none",
                 *         "since": null
                 *       },
                 *       "role": "user"
                 *     }
                 */
                "application/json": components["schemas"]["user_replace"];
            };
        };
        responses: {
            /** @description The user as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Content-Location": components["headers"]["Content-Location"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "name": "Ada Lovelace",
                     *       "email": "ada@example.com",
                     *       "phone": "+44 20 7946 0000",
                     *       "address": "12 St James's Square, London",
                     *       "preferences": {
                     *         "theme": "dark"
                     *       },
                     *       "subscription": {
                     *         "status": "none",
                     *         "since": null
                     *       },
                     *       "role": "user",
                     *       "created_at": "2026-11-21T08:30:00.000Z",
                     *       "updated_at": "2026-11-21T08:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["user"];
                };
            };
            /** @description Done, as `Prefer: return=minimal` asks. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Content-Location": components["headers"]["Content-Location"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_json`: The request body is not valid JSON. `validation_failed`: The request is not valid. `unknown_field`: The request names a field that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_fields`: The fields parameter names something that cannot be selected. `field_read_only`: The request changes a field that cannot be written. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `conflict`: A value that must be unique is taken. `state_conflict`: The present state does not allow that. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_required`: This needs an If-Match header. */
            428: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "users.delete": {
        parameters: {
            query?: never;
            header: {
                /** @description The `ETag` of what you read: the write happens only while that is still what there is. `*` writes whatever is there. */
                "If-Match": string;
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Content-Location": components["headers"]["Content-Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `state_conflict`: The present state does not allow that. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_required`: This needs an If-Match header. */
            428: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "users.update": {
        parameters: {
            query?: {
                /** @description Comma-separated names of the fields to answer with; `id` always comes. All of them unless given. */
                fields?: string;
            };
            header: {
                /** @description The `ETag` of what you read: the write happens only while that is still what there is. `*` writes whatever is there. */
                "If-Match": string;
                /** @description A text of your own, a UUID say. A request that is sent again with it within 24 hours takes effect once and is answered the same. */
                "Idempotency-Key"?: string;
                /** @description `return=minimal` leaves the row out of the answer (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: string;
            };
            cookie?: never;
        };
        /** @description The members to change; null removes one. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                 *       "name": "Ada Lovelace",
                 *       "email": "ada@example.com",
                 *       "phone": "+44 20 7946 0000",
                 *       "address": "12 St James's Square, London",
                 *       "preferences": {
                 *         "theme": "dark"
                 *       },
                 *       "subscription": {
                 *         "status": "none",
                 *         "since": null
                 *       },
                 *       "role": "user",
                 *       "created_at": "2026-11-21T08:30:00.000Z",
                 *       "updated_at": "2026-11-21T08:30:00.000Z"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["user_update"];
                /**
                 * @example {
                 *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                 *       "name": "Ada Lovelace",
                 *       "email": "ada@example.com",
                 *       "phone": "+44 20 7946 0000",
                 *       "address": "12 St James's Square, London",
                 *       "preferences": {
                 *         "theme": "dark"
                 *       },
                 *       "subscription": {
                 *         "status": "none",
                 *         "since": null
                 *       },
                 *       "role": "user",
                 *       "created_at": "2026-11-21T08:30:00.000Z",
                 *       "updated_at": "2026-11-21T08:30:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["user_update"];
            };
        };
        responses: {
            /** @description The user as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Content-Location": components["headers"]["Content-Location"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "name": "Ada Lovelace",
                     *       "email": "ada@example.com",
                     *       "phone": "+44 20 7946 0000",
                     *       "address": "12 St James's Square, London",
                     *       "preferences": {
                     *         "theme": "dark"
                     *       },
                     *       "subscription": {
                     *         "status": "none",
                     *         "since": null
                     *       },
                     *       "role": "user",
                     *       "created_at": "2026-11-21T08:30:00.000Z",
                     *       "updated_at": "2026-11-21T08:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["user"];
                };
            };
            /** @description Done, as `Prefer: return=minimal` asks. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Content-Location": components["headers"]["Content-Location"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_json`: The request body is not valid JSON. `validation_failed`: The request is not valid. `unknown_field`: The request names a field that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_fields`: The fields parameter names something that cannot be selected. `field_read_only`: The request changes a field that cannot be written. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_in_progress`: A request with this key is being answered. `conflict`: A value that must be unique is taken. `state_conflict`: The present state does not allow that. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used with another request. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_required`: This needs an If-Match header. */
            428: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "posts.list": {
        parameters: {
            query?: {
                /** @description How many items at the most, 1 to 100; 20 unless given. */
                limit?: string;
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, sort and filter. */
                cursor?: string;
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: "true" | "false";
                /** @description Comma-separated names of the fields to answer with; `id` always comes. All of them unless given. */
                fields?: string;
                /** @description Related rows to answer with, comma-separated, as far as you may read them: author, author.posts, comments, comments.post, comments.author. Of many the first 20 come. */
                include?: string;
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: string;
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: string;
                /** @description The same for included comments; only together with `include`. */
                "fields[comments]"?: string;
                /** @description Up to 3 fields to order by, comma-separated, with `-` in front for descending; by `id` (oldest first) unless given. Text is ordered by code point; what has no value comes last. Fields: id, title, published_at, created_at, updated_at. */
                sort?: string;
                /** @description Only those whose `id` is this. */
                "filter[id]"?: string;
                /** @description Only those whose `id` is this. */
                "filter[id][eq]"?: string;
                /** @description Only those whose `id` has another value than this. */
                "filter[id][ne]"?: string;
                /** @description Only those whose `id` is one of these, comma-separated, 50 at the most. */
                "filter[id][in]"?: string;
                /** @description Only those whose `id` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[id][nin]"?: string;
                /** @description Only those whose `title` is this. */
                "filter[title]"?: string;
                /** @description Only those whose `title` is this. */
                "filter[title][eq]"?: string;
                /** @description Only those whose `title` has another value than this. */
                "filter[title][ne]"?: string;
                /** @description Only those whose `title` is one of these, comma-separated, 50 at the most. */
                "filter[title][in]"?: string;
                /** @description Only those whose `title` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[title][nin]"?: string;
                /** @description Only those whose `title` contains this text, A to Z being the same as a to z. */
                "filter[title][contains]"?: string;
                /** @description Only those whose `title` begins with this text, A to Z being the same as a to z. */
                "filter[title][starts_with]"?: string;
                /** @description Only those whose `status` is this. */
                "filter[status]"?: string;
                /** @description Only those whose `status` is this. */
                "filter[status][eq]"?: string;
                /** @description Only those whose `status` has another value than this. */
                "filter[status][ne]"?: string;
                /** @description Only those whose `status` is one of these, comma-separated, 50 at the most. */
                "filter[status][in]"?: string;
                /** @description Only those whose `status` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[status][nin]"?: string;
                /** @description Only those whose `published_at` is this. */
                "filter[published_at]"?: string;
                /** @description Only those whose `published_at` is this. */
                "filter[published_at][eq]"?: string;
                /** @description Only those whose `published_at` has another value than this. */
                "filter[published_at][ne]"?: string;
                /** @description Only those whose `published_at` is less than this. */
                "filter[published_at][lt]"?: string;
                /** @description Only those whose `published_at` is this or less. */
                "filter[published_at][lte]"?: string;
                /** @description Only those whose `published_at` is more than this. */
                "filter[published_at][gt]"?: string;
                /** @description Only those whose `published_at` is this or more. */
                "filter[published_at][gte]"?: string;
                /** @description Only those whose `published_at` is one of these, comma-separated, 50 at the most. */
                "filter[published_at][in]"?: string;
                /** @description Only those whose `published_at` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[published_at][nin]"?: string;
                /** @description Only those whose `published_at` has no value (`true`) or has one (`false`). */
                "filter[published_at][is_null]"?: string;
                /** @description Only those whose `created_at` is this. */
                "filter[created_at]"?: string;
                /** @description Only those whose `created_at` is this. */
                "filter[created_at][eq]"?: string;
                /** @description Only those whose `created_at` has another value than this. */
                "filter[created_at][ne]"?: string;
                /** @description Only those whose `created_at` is less than this. */
                "filter[created_at][lt]"?: string;
                /** @description Only those whose `created_at` is this or less. */
                "filter[created_at][lte]"?: string;
                /** @description Only those whose `created_at` is more than this. */
                "filter[created_at][gt]"?: string;
                /** @description Only those whose `created_at` is this or more. */
                "filter[created_at][gte]"?: string;
                /** @description Only those whose `created_at` is one of these, comma-separated, 50 at the most. */
                "filter[created_at][in]"?: string;
                /** @description Only those whose `created_at` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[created_at][nin]"?: string;
                /** @description Only those whose `updated_at` is this. */
                "filter[updated_at]"?: string;
                /** @description Only those whose `updated_at` is this. */
                "filter[updated_at][eq]"?: string;
                /** @description Only those whose `updated_at` has another value than this. */
                "filter[updated_at][ne]"?: string;
                /** @description Only those whose `updated_at` is less than this. */
                "filter[updated_at][lt]"?: string;
                /** @description Only those whose `updated_at` is this or less. */
                "filter[updated_at][lte]"?: string;
                /** @description Only those whose `updated_at` is more than this. */
                "filter[updated_at][gt]"?: string;
                /** @description Only those whose `updated_at` is this or more. */
                "filter[updated_at][gte]"?: string;
                /** @description Only those whose `updated_at` is one of these, comma-separated, 50 at the most. */
                "filter[updated_at][in]"?: string;
                /** @description Only those whose `updated_at` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[updated_at][nin]"?: string;
            };
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, oldest first unless `sort` says otherwise. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Content-Location": components["headers"]["Content-Location"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *           "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *           "title": "On the Analytical Engine",
                     *           "body": "It weaves algebraic patterns.",
                     *           "status": "draft",
                     *           "published_at": "2026-11-21T08:30:00.000Z",
                     *           "created_at": "2026-11-21T08:30:00.000Z",
                     *           "updated_at": "2026-11-21T08:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": {
                     *         "limit": 1,
                     *         "has_more": true,
                     *         "next_cursor": "text",
                     *         "prev_cursor": "text",
                     *         "total": 0,
                     *         "total_is_exact": true,
                     *         "total_is_minimum": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["post_with_relations"][];
                        page: {
                            /** Format: int32 */
                            limit: number;
                            /** @description Whether there is a next page. */
                            has_more: boolean;
                            next_cursor: string | null;
                            prev_cursor: string | null;
                            /**
                             * Format: int32
                             * @description With `total=true`: how many rows the list has.
                             */
                            total?: number;
                            /** @description Whether the list has as many rows as `total` says; false: it has more than 10000. */
                            total_is_exact?: boolean;
                            /** @description The opposite of `total_is_exact`. */
                            total_is_minimum?: boolean;
                        };
                    };
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Content-Location": components["headers"]["Content-Location"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_fields`: The fields parameter names something that cannot be selected. `invalid_sort`: The sort parameter names something that this list cannot be sorted by. `invalid_filter`: A filter is none that this list has, or its value is not valid. `invalid_include`: The include parameter names something that cannot be included. `invalid_cursor`: The cursor was not issued for this list. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. `query_too_slow`: The list takes too long to read in this way. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "posts.create": {
        parameters: {
            query?: {
                /** @description Comma-separated names of the fields to answer with; `id` always comes. All of them unless given. */
                fields?: string;
            };
            header?: {
                /** @description A text of your own, a UUID say. A request that is sent again with it within 24 hours takes effect once and is answered the same. */
                "Idempotency-Key"?: string;
                /** @description `return=minimal` leaves the row out of the answer (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: string;
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "On the Analytical Engine",
                 *       "body": "It weaves algebraic patterns.",
                 *       "status": "draft"
                 *     }
                 */
                "application/json": components["schemas"]["post_create"];
            };
        };
        responses: {
            /** @description The new post. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Content-Location": components["headers"]["Content-Location"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "title": "On the Analytical Engine",
                     *       "body": "It weaves algebraic patterns.",
                     *       "status": "draft",
                     *       "published_at": "2026-11-21T08:30:00.000Z",
                     *       "created_at": "2026-11-21T08:30:00.000Z",
                     *       "updated_at": "2026-11-21T08:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["post"];
                };
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_json`: The request body is not valid JSON. `validation_failed`: The request is not valid. `unknown_field`: The request names a field that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_fields`: The fields parameter names something that cannot be selected. `field_read_only`: The request changes a field that cannot be written. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_in_progress`: A request with this key is being answered. `conflict`: A value that must be unique is taken. `state_conflict`: The present state does not allow that. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used with another request. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "posts.read": {
        parameters: {
            query?: {
                /** @description Comma-separated names of the fields to answer with; `id` always comes. All of them unless given. */
                fields?: string;
                /** @description Related rows to answer with, comma-separated, as far as you may read them: author, author.posts, comments, comments.post, comments.author. Of many the first 20 come. */
                include?: string;
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: string;
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: string;
                /** @description The same for included comments; only together with `include`. */
                "fields[comments]"?: string;
            };
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The id of the post. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The post. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "title": "On the Analytical Engine",
                     *       "body": "It weaves algebraic patterns.",
                     *       "status": "draft",
                     *       "published_at": "2026-11-21T08:30:00.000Z",
                     *       "created_at": "2026-11-21T08:30:00.000Z",
                     *       "updated_at": "2026-11-21T08:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["post_with_relations"];
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_fields`: The fields parameter names something that cannot be selected. `invalid_include`: The include parameter names something that cannot be included. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "posts.replace": {
        parameters: {
            query?: {
                /** @description Comma-separated names of the fields to answer with; `id` always comes. All of them unless given. */
                fields?: string;
            };
            header: {
                /** @description The `ETag` of what you read: the write happens only while that is still what there is. `*` writes whatever is there. */
                "If-Match": string;
                /** @description `return=minimal` leaves the row out of the answer (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description The id of the post. */
                id: string;
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "On the Analytical Engine",
                 *       "body": "It weaves algebraic patterns.",
                 *       "status": "draft"
                 *     }
                 */
                "application/json": components["schemas"]["post_replace"];
            };
        };
        responses: {
            /** @description The post as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "title": "On the Analytical Engine",
                     *       "body": "It weaves algebraic patterns.",
                     *       "status": "draft",
                     *       "published_at": "2026-11-21T08:30:00.000Z",
                     *       "created_at": "2026-11-21T08:30:00.000Z",
                     *       "updated_at": "2026-11-21T08:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["post"];
                };
            };
            /** @description Done, as `Prefer: return=minimal` asks. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_json`: The request body is not valid JSON. `validation_failed`: The request is not valid. `unknown_field`: The request names a field that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_fields`: The fields parameter names something that cannot be selected. `field_read_only`: The request changes a field that cannot be written. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `conflict`: A value that must be unique is taken. `state_conflict`: The present state does not allow that. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_required`: This needs an If-Match header. */
            428: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "posts.delete": {
        parameters: {
            query?: never;
            header: {
                /** @description The `ETag` of what you read: the write happens only while that is still what there is. `*` writes whatever is there. */
                "If-Match": string;
            };
            path: {
                /** @description The id of the post. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_required`: This needs an If-Match header. */
            428: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "posts.update": {
        parameters: {
            query?: {
                /** @description Comma-separated names of the fields to answer with; `id` always comes. All of them unless given. */
                fields?: string;
            };
            header: {
                /** @description The `ETag` of what you read: the write happens only while that is still what there is. `*` writes whatever is there. */
                "If-Match": string;
                /** @description A text of your own, a UUID say. A request that is sent again with it within 24 hours takes effect once and is answered the same. */
                "Idempotency-Key"?: string;
                /** @description `return=minimal` leaves the row out of the answer (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description The id of the post. */
                id: string;
            };
            cookie?: never;
        };
        /** @description The members to change; null removes one. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                 *       "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                 *       "title": "On the Analytical Engine",
                 *       "body": "It weaves algebraic patterns.",
                 *       "status": "draft",
                 *       "published_at": "2026-11-21T08:30:00.000Z",
                 *       "created_at": "2026-11-21T08:30:00.000Z",
                 *       "updated_at": "2026-11-21T08:30:00.000Z"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["post_update"];
                /**
                 * @example {
                 *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                 *       "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                 *       "title": "On the Analytical Engine",
                 *       "body": "It weaves algebraic patterns.",
                 *       "status": "draft",
                 *       "published_at": "2026-11-21T08:30:00.000Z",
                 *       "created_at": "2026-11-21T08:30:00.000Z",
                 *       "updated_at": "2026-11-21T08:30:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["post_update"];
            };
        };
        responses: {
            /** @description The post as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "title": "On the Analytical Engine",
                     *       "body": "It weaves algebraic patterns.",
                     *       "status": "draft",
                     *       "published_at": "2026-11-21T08:30:00.000Z",
                     *       "created_at": "2026-11-21T08:30:00.000Z",
                     *       "updated_at": "2026-11-21T08:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["post"];
                };
            };
            /** @description Done, as `Prefer: return=minimal` asks. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_json`: The request body is not valid JSON. `validation_failed`: The request is not valid. `unknown_field`: The request names a field that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_fields`: The fields parameter names something that cannot be selected. `field_read_only`: The request changes a field that cannot be written. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_in_progress`: A request with this key is being answered. `conflict`: A value that must be unique is taken. `state_conflict`: The present state does not allow that. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used with another request. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_required`: This needs an If-Match header. */
            428: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "comments.list": {
        parameters: {
            query?: {
                /** @description How many items at the most, 1 to 100; 20 unless given. */
                limit?: string;
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, sort and filter. */
                cursor?: string;
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: "true" | "false";
                /** @description Comma-separated names of the fields to answer with; `id` always comes. All of them unless given. */
                fields?: string;
                /** @description Related rows to answer with, comma-separated, as far as you may read them: post, post.author, post.comments, author, author.posts. Of many the first 20 come. */
                include?: string;
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: string;
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: string;
                /** @description The same for included comments; only together with `include`. */
                "fields[comments]"?: string;
                /** @description Up to 3 fields to order by, comma-separated, with `-` in front for descending; by `id` (oldest first) unless given. Text is ordered by code point; what has no value comes last. Fields: id, created_at, updated_at. */
                sort?: string;
                /** @description Only those whose `id` is this. */
                "filter[id]"?: string;
                /** @description Only those whose `id` is this. */
                "filter[id][eq]"?: string;
                /** @description Only those whose `id` has another value than this. */
                "filter[id][ne]"?: string;
                /** @description Only those whose `id` is one of these, comma-separated, 50 at the most. */
                "filter[id][in]"?: string;
                /** @description Only those whose `id` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[id][nin]"?: string;
                /** @description Only those whose `user_id` is this. */
                "filter[user_id]"?: string;
                /** @description Only those whose `user_id` is this. */
                "filter[user_id][eq]"?: string;
                /** @description Only those whose `user_id` has another value than this. */
                "filter[user_id][ne]"?: string;
                /** @description Only those whose `user_id` is one of these, comma-separated, 50 at the most. */
                "filter[user_id][in]"?: string;
                /** @description Only those whose `user_id` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[user_id][nin]"?: string;
                /** @description Only those whose `created_at` is this. */
                "filter[created_at]"?: string;
                /** @description Only those whose `created_at` is this. */
                "filter[created_at][eq]"?: string;
                /** @description Only those whose `created_at` has another value than this. */
                "filter[created_at][ne]"?: string;
                /** @description Only those whose `created_at` is less than this. */
                "filter[created_at][lt]"?: string;
                /** @description Only those whose `created_at` is this or less. */
                "filter[created_at][lte]"?: string;
                /** @description Only those whose `created_at` is more than this. */
                "filter[created_at][gt]"?: string;
                /** @description Only those whose `created_at` is this or more. */
                "filter[created_at][gte]"?: string;
                /** @description Only those whose `created_at` is one of these, comma-separated, 50 at the most. */
                "filter[created_at][in]"?: string;
                /** @description Only those whose `created_at` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[created_at][nin]"?: string;
                /** @description Only those whose `updated_at` is this. */
                "filter[updated_at]"?: string;
                /** @description Only those whose `updated_at` is this. */
                "filter[updated_at][eq]"?: string;
                /** @description Only those whose `updated_at` has another value than this. */
                "filter[updated_at][ne]"?: string;
                /** @description Only those whose `updated_at` is less than this. */
                "filter[updated_at][lt]"?: string;
                /** @description Only those whose `updated_at` is this or less. */
                "filter[updated_at][lte]"?: string;
                /** @description Only those whose `updated_at` is more than this. */
                "filter[updated_at][gt]"?: string;
                /** @description Only those whose `updated_at` is this or more. */
                "filter[updated_at][gte]"?: string;
                /** @description Only those whose `updated_at` is one of these, comma-separated, 50 at the most. */
                "filter[updated_at][in]"?: string;
                /** @description Only those whose `updated_at` has a value that is none of these, comma-separated, 50 at the most. */
                "filter[updated_at][nin]"?: string;
            };
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The id of the post. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, oldest first unless `sort` says otherwise. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *           "post_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *           "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *           "body": "Just as the loom weaves flowers.",
                     *           "created_at": "2026-11-21T08:30:00.000Z",
                     *           "updated_at": "2026-11-21T08:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": {
                     *         "limit": 1,
                     *         "has_more": true,
                     *         "next_cursor": "text",
                     *         "prev_cursor": "text",
                     *         "total": 0,
                     *         "total_is_exact": true,
                     *         "total_is_minimum": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["comment_with_relations"][];
                        page: {
                            /** Format: int32 */
                            limit: number;
                            /** @description Whether there is a next page. */
                            has_more: boolean;
                            next_cursor: string | null;
                            prev_cursor: string | null;
                            /**
                             * Format: int32
                             * @description With `total=true`: how many rows the list has.
                             */
                            total?: number;
                            /** @description Whether the list has as many rows as `total` says; false: it has more than 10000. */
                            total_is_exact?: boolean;
                            /** @description The opposite of `total_is_exact`. */
                            total_is_minimum?: boolean;
                        };
                    };
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_fields`: The fields parameter names something that cannot be selected. `invalid_sort`: The sort parameter names something that this list cannot be sorted by. `invalid_filter`: A filter is none that this list has, or its value is not valid. `invalid_include`: The include parameter names something that cannot be included. `invalid_cursor`: The cursor was not issued for this list. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. `query_too_slow`: The list takes too long to read in this way. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "comments.create": {
        parameters: {
            query?: {
                /** @description Comma-separated names of the fields to answer with; `id` always comes. All of them unless given. */
                fields?: string;
            };
            header?: {
                /** @description A text of your own, a UUID say. A request that is sent again with it within 24 hours takes effect once and is answered the same. */
                "Idempotency-Key"?: string;
                /** @description `return=minimal` leaves the row out of the answer (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description The id of the post. */
                id: string;
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "body": "Just as the loom weaves flowers."
                 *     }
                 */
                "application/json": components["schemas"]["comment_create"];
            };
        };
        responses: {
            /** @description The new comment. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "post_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "body": "Just as the loom weaves flowers.",
                     *       "created_at": "2026-11-21T08:30:00.000Z",
                     *       "updated_at": "2026-11-21T08:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["comment"];
                };
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_json`: The request body is not valid JSON. `validation_failed`: The request is not valid. `unknown_field`: The request names a field that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_fields`: The fields parameter names something that cannot be selected. `field_read_only`: The request changes a field that cannot be written. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_in_progress`: A request with this key is being answered. `conflict`: A value that must be unique is taken. `state_conflict`: The present state does not allow that. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used with another request. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "comments.read": {
        parameters: {
            query?: {
                /** @description Comma-separated names of the fields to answer with; `id` always comes. All of them unless given. */
                fields?: string;
                /** @description Related rows to answer with, comma-separated, as far as you may read them: post, post.author, post.comments, author, author.posts. Of many the first 20 come. */
                include?: string;
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: string;
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: string;
                /** @description The same for included comments; only together with `include`. */
                "fields[comments]"?: string;
            };
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The id of the comment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The comment. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "post_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "body": "Just as the loom weaves flowers.",
                     *       "created_at": "2026-11-21T08:30:00.000Z",
                     *       "updated_at": "2026-11-21T08:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["comment_with_relations"];
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_fields`: The fields parameter names something that cannot be selected. `invalid_include`: The include parameter names something that cannot be included. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "comments.replace": {
        parameters: {
            query?: {
                /** @description Comma-separated names of the fields to answer with; `id` always comes. All of them unless given. */
                fields?: string;
            };
            header: {
                /** @description The `ETag` of what you read: the write happens only while that is still what there is. `*` writes whatever is there. */
                "If-Match": string;
                /** @description `return=minimal` leaves the row out of the answer (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description The id of the comment. */
                id: string;
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "body": "Just as the loom weaves flowers."
                 *     }
                 */
                "application/json": components["schemas"]["comment_replace"];
            };
        };
        responses: {
            /** @description The comment as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "post_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "body": "Just as the loom weaves flowers.",
                     *       "created_at": "2026-11-21T08:30:00.000Z",
                     *       "updated_at": "2026-11-21T08:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["comment"];
                };
            };
            /** @description Done, as `Prefer: return=minimal` asks. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_json`: The request body is not valid JSON. `validation_failed`: The request is not valid. `unknown_field`: The request names a field that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_fields`: The fields parameter names something that cannot be selected. `field_read_only`: The request changes a field that cannot be written. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `conflict`: A value that must be unique is taken. `state_conflict`: The present state does not allow that. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_required`: This needs an If-Match header. */
            428: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "comments.delete": {
        parameters: {
            query?: never;
            header: {
                /** @description The `ETag` of what you read: the write happens only while that is still what there is. `*` writes whatever is there. */
                "If-Match": string;
            };
            path: {
                /** @description The id of the comment. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_required`: This needs an If-Match header. */
            428: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "comments.update": {
        parameters: {
            query?: {
                /** @description Comma-separated names of the fields to answer with; `id` always comes. All of them unless given. */
                fields?: string;
            };
            header: {
                /** @description The `ETag` of what you read: the write happens only while that is still what there is. `*` writes whatever is there. */
                "If-Match": string;
                /** @description A text of your own, a UUID say. A request that is sent again with it within 24 hours takes effect once and is answered the same. */
                "Idempotency-Key"?: string;
                /** @description `return=minimal` leaves the row out of the answer (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description The id of the comment. */
                id: string;
            };
            cookie?: never;
        };
        /** @description The members to change; null removes one. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                 *       "post_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                 *       "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                 *       "body": "Just as the loom weaves flowers.",
                 *       "created_at": "2026-11-21T08:30:00.000Z",
                 *       "updated_at": "2026-11-21T08:30:00.000Z"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["comment_update"];
                /**
                 * @example {
                 *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                 *       "post_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                 *       "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                 *       "body": "Just as the loom weaves flowers.",
                 *       "created_at": "2026-11-21T08:30:00.000Z",
                 *       "updated_at": "2026-11-21T08:30:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["comment_update"];
            };
        };
        responses: {
            /** @description The comment as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "post_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                     *       "body": "Just as the loom weaves flowers.",
                     *       "created_at": "2026-11-21T08:30:00.000Z",
                     *       "updated_at": "2026-11-21T08:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["comment"];
                };
            };
            /** @description Done, as `Prefer: return=minimal` asks. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_json`: The request body is not valid JSON. `validation_failed`: The request is not valid. `unknown_field`: The request names a field that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_fields`: The fields parameter names something that cannot be selected. `field_read_only`: The request changes a field that cannot be written. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_in_progress`: A request with this key is being answered. `conflict`: A value that must be unique is taken. `state_conflict`: The present state does not allow that. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used with another request. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_required`: This needs an If-Match header. */
            428: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "webhooks.receive": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The provider in the path. */
                provider: string;
            };
            cookie?: never;
        };
        /** @description What the sender sends, byte for byte; the signature is over these bytes. */
        requestBody: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description Stored for good, or stored before. A batch is answered as `events`. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "status": "accepted"
                     *     }
                     */
                    "application/json": {
                        /** @description The event's id here. */
                        id: string;
                        /** @enum {string} */
                        status: "accepted" | "duplicate" | "ignored" | "quarantined";
                    } | {
                        events: {
                            /** @description The event's id here. */
                            id: string;
                            /** @enum {string} */
                            status: "accepted" | "duplicate" | "ignored" | "quarantined";
                        }[];
                    };
                };
            };
            /** @description `bad_request`: The request is malformed. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `invalid_signature`: The webhook's signature does not hold. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unknown_provider`: No such webhook provider is configured. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. `overloaded`: Too busy at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.events.list": {
        parameters: {
            query?: {
                /** @description How many items at the most, 1 to 100; 20 unless given. */
                limit?: string;
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, sort and filter. */
                cursor?: string;
                /** @description Only those with this `provider`. */
                provider?: string;
                /** @description Only those with this `type`. */
                type?: string;
                /** @description Only those with this `state`. */
                state?: "received" | "processing" | "retrying" | "processed" | "dead" | "cancelled" | "ignored" | "quarantined";
            };
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "text",
                     *           "provider": "text",
                     *           "event_id": "text",
                     *           "type": "text",
                     *           "state": "received",
                     *           "reason": "text",
                     *           "occurred_at": "2026-11-21T08:30:00.000Z",
                     *           "received_at": "2026-11-21T08:30:00.000Z",
                     *           "repeats": 0,
                     *           "body_kept": true
                     *         }
                     *       ],
                     *       "page": {
                     *         "limit": 1,
                     *         "has_more": true,
                     *         "next_cursor": "text",
                     *         "prev_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            id: string;
                            provider: string;
                            /** @description The sender's own id. */
                            event_id: string | null;
                            type: string | null;
                            /** @enum {string} */
                            state: "received" | "processing" | "retrying" | "processed" | "dead" | "cancelled" | "ignored" | "quarantined";
                            /** @description Why it was quarantined or ignored. */
                            reason: string | null;
                            /** @description The sender's own time. */
                            occurred_at: string | null;
                            /** Format: date-time */
                            received_at: string;
                            /**
                             * Format: int64
                             * @description How often the sender delivered it again.
                             */
                            repeats: number;
                            /** @description False once its body and headers were deleted; it cannot be replayed then. */
                            body_kept: boolean;
                        }[];
                        page: {
                            /** Format: int32 */
                            limit: number;
                            /** @description Whether there is a next page. */
                            has_more: boolean;
                            next_cursor: string | null;
                            prev_cursor: string | null;
                        };
                    };
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_cursor`: The cursor was not issued for this list. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.events.read": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The id in the path. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "provider": "text",
                     *       "event_id": "text",
                     *       "type": "text",
                     *       "state": "received",
                     *       "reason": "text",
                     *       "occurred_at": "2026-11-21T08:30:00.000Z",
                     *       "received_at": "2026-11-21T08:30:00.000Z",
                     *       "repeats": 0,
                     *       "body_kept": true,
                     *       "headers": {},
                     *       "data": null,
                     *       "body_base64": "text",
                     *       "forwards": [
                     *         {
                     *           "handler": "text",
                     *           "attempt": 0,
                     *           "at": "2026-11-21T08:30:00.000Z",
                     *           "ms": 0,
                     *           "status": 0,
                     *           "headers": {},
                     *           "body": "text",
                     *           "error": "text"
                     *         }
                     *       ],
                     *       "jobs": [
                     *         {
                     *           "id": "text",
                     *           "event_id": "text",
                     *           "handler": "text",
                     *           "queue": "text",
                     *           "priority": 0,
                     *           "order_key": "text",
                     *           "holds_order_key": true,
                     *           "state": "ready",
                     *           "attempt": 0,
                     *           "max_attempts": 0,
                     *           "losses": 0,
                     *           "due_at": "2026-11-21T08:30:00.000Z",
                     *           "cancel_at": "2026-11-21T08:30:00.000Z",
                     *           "last_error": "text",
                     *           "replay_of": "text",
                     *           "created_at": "2026-11-21T08:30:00.000Z",
                     *           "started_at": "2026-11-21T08:30:00.000Z",
                     *           "finished_at": "2026-11-21T08:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        id: string;
                        provider: string;
                        /** @description The sender's own id. */
                        event_id: string | null;
                        type: string | null;
                        /** @enum {string} */
                        state: "received" | "processing" | "retrying" | "processed" | "dead" | "cancelled" | "ignored" | "quarantined";
                        /** @description Why it was quarantined or ignored. */
                        reason: string | null;
                        /** @description The sender's own time. */
                        occurred_at: string | null;
                        /** Format: date-time */
                        received_at: string;
                        /**
                         * Format: int64
                         * @description How often the sender delivered it again.
                         */
                        repeats: number;
                        /** @description False once its body and headers were deleted; it cannot be replayed then. */
                        body_kept: boolean;
                        headers: {
                            [key: string]: string;
                        };
                        /** @description The body, where it is JSON. */
                        data: unknown;
                        /** @description Exactly the bytes that were signed; empty when they are kept no longer. */
                        body_base64: string;
                        /** @description What targets answered, newest first. */
                        forwards: {
                            handler: string;
                            /** Format: int64 */
                            attempt: number;
                            /** Format: date-time */
                            at: string;
                            /** Format: int64 */
                            ms: number;
                            /** @description What the target answered; null when it did not. */
                            status: number | null;
                            headers: {
                                [key: string]: string;
                            };
                            /** @description The beginning of the answer. */
                            body: string;
                            error: string | null;
                        }[];
                        jobs: {
                            id: string;
                            /** @description The event it is about, by our id. */
                            event_id: string | null;
                            handler: string;
                            queue: string;
                            /**
                             * Format: int64
                             * @description Smaller first.
                             */
                            priority: number;
                            /** @description Jobs of one key run one at a time, in the order they came in. */
                            order_key: string | null;
                            /** @description It is dead, and the others of its order key wait until somebody runs it again or cancels it. */
                            holds_order_key: boolean;
                            /** @enum {string} */
                            state: "ready" | "scheduled" | "running" | "blocked" | "done" | "dead" | "cancelled";
                            /** Format: int64 */
                            attempt: number;
                            /** Format: int64 */
                            max_attempts: number;
                            /**
                             * Format: int64
                             * @description How often its runner died while it ran.
                             */
                            losses: number;
                            due_at: string | null;
                            /** @description When its end was asked for while it was running. */
                            cancel_at: string | null;
                            last_error: string | null;
                            replay_of: string | null;
                            /** Format: date-time */
                            created_at: string;
                            started_at: string | null;
                            finished_at: string | null;
                        }[];
                    };
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.events.replay": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, a UUID say. A request that is sent again with it within 24 hours takes effect once and is answered the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id in the path. */
                id: string;
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "force": false
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Also one that has been processed.
                     * @default false
                     */
                    force?: boolean;
                };
            };
        };
        responses: {
            /** @description Its jobs are waiting to run. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "jobs": 0
                     *     }
                     */
                    "application/json": {
                        id: string;
                        /** Format: int64 */
                        jobs: number;
                    };
                };
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_json`: The request body is not valid JSON. `validation_failed`: The request is not valid. `unknown_field`: The request names a field that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_in_progress`: A request with this key is being answered. `state_conflict`: The present state does not allow that. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used with another request. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.jobs.list": {
        parameters: {
            query?: {
                /** @description How many items at the most, 1 to 100; 20 unless given. */
                limit?: string;
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, sort and filter. */
                cursor?: string;
                /** @description Only those with this `state`. */
                state?: "ready" | "scheduled" | "running" | "blocked" | "done" | "dead" | "cancelled";
                /** @description Only those with this `handler`. */
                handler?: string;
                /** @description Only those with this `queue`. */
                queue?: string;
            };
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "text",
                     *           "event_id": "text",
                     *           "handler": "text",
                     *           "queue": "text",
                     *           "priority": 0,
                     *           "order_key": "text",
                     *           "holds_order_key": true,
                     *           "state": "ready",
                     *           "attempt": 0,
                     *           "max_attempts": 0,
                     *           "losses": 0,
                     *           "due_at": "2026-11-21T08:30:00.000Z",
                     *           "cancel_at": "2026-11-21T08:30:00.000Z",
                     *           "last_error": "text",
                     *           "replay_of": "text",
                     *           "created_at": "2026-11-21T08:30:00.000Z",
                     *           "started_at": "2026-11-21T08:30:00.000Z",
                     *           "finished_at": "2026-11-21T08:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": {
                     *         "limit": 1,
                     *         "has_more": true,
                     *         "next_cursor": "text",
                     *         "prev_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            id: string;
                            /** @description The event it is about, by our id. */
                            event_id: string | null;
                            handler: string;
                            queue: string;
                            /**
                             * Format: int64
                             * @description Smaller first.
                             */
                            priority: number;
                            /** @description Jobs of one key run one at a time, in the order they came in. */
                            order_key: string | null;
                            /** @description It is dead, and the others of its order key wait until somebody runs it again or cancels it. */
                            holds_order_key: boolean;
                            /** @enum {string} */
                            state: "ready" | "scheduled" | "running" | "blocked" | "done" | "dead" | "cancelled";
                            /** Format: int64 */
                            attempt: number;
                            /** Format: int64 */
                            max_attempts: number;
                            /**
                             * Format: int64
                             * @description How often its runner died while it ran.
                             */
                            losses: number;
                            due_at: string | null;
                            /** @description When its end was asked for while it was running. */
                            cancel_at: string | null;
                            last_error: string | null;
                            replay_of: string | null;
                            /** Format: date-time */
                            created_at: string;
                            started_at: string | null;
                            finished_at: string | null;
                        }[];
                        page: {
                            /** Format: int32 */
                            limit: number;
                            /** @description Whether there is a next page. */
                            has_more: boolean;
                            next_cursor: string | null;
                            prev_cursor: string | null;
                        };
                    };
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_cursor`: The cursor was not issued for this list. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.jobs.read": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The id in the path. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "event_id": "text",
                     *       "handler": "text",
                     *       "queue": "text",
                     *       "priority": 0,
                     *       "order_key": "text",
                     *       "holds_order_key": true,
                     *       "state": "ready",
                     *       "attempt": 0,
                     *       "max_attempts": 0,
                     *       "losses": 0,
                     *       "due_at": "2026-11-21T08:30:00.000Z",
                     *       "cancel_at": "2026-11-21T08:30:00.000Z",
                     *       "last_error": "text",
                     *       "replay_of": "text",
                     *       "created_at": "2026-11-21T08:30:00.000Z",
                     *       "started_at": "2026-11-21T08:30:00.000Z",
                     *       "finished_at": "2026-11-21T08:30:00.000Z",
                     *       "failures": [
                     *         {
                     *           "attempt": 0,
                     *           "at": "2026-11-21T08:30:00.000Z",
                     *           "error": "text"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        id: string;
                        /** @description The event it is about, by our id. */
                        event_id: string | null;
                        handler: string;
                        queue: string;
                        /**
                         * Format: int64
                         * @description Smaller first.
                         */
                        priority: number;
                        /** @description Jobs of one key run one at a time, in the order they came in. */
                        order_key: string | null;
                        /** @description It is dead, and the others of its order key wait until somebody runs it again or cancels it. */
                        holds_order_key: boolean;
                        /** @enum {string} */
                        state: "ready" | "scheduled" | "running" | "blocked" | "done" | "dead" | "cancelled";
                        /** Format: int64 */
                        attempt: number;
                        /** Format: int64 */
                        max_attempts: number;
                        /**
                         * Format: int64
                         * @description How often its runner died while it ran.
                         */
                        losses: number;
                        due_at: string | null;
                        /** @description When its end was asked for while it was running. */
                        cancel_at: string | null;
                        last_error: string | null;
                        replay_of: string | null;
                        /** Format: date-time */
                        created_at: string;
                        started_at: string | null;
                        finished_at: string | null;
                        /** @description The newest 100, oldest first. */
                        failures: {
                            /** Format: int64 */
                            attempt: number;
                            /** Format: date-time */
                            at: string;
                            error: string;
                        }[];
                    };
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.jobs.retry": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, a UUID say. A request that is sent again with it within 24 hours takes effect once and is answered the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id in the path. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job that will run: the same one, or the one that took its place. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text"
                     *     }
                     */
                    "application/json": {
                        id: string;
                    };
                };
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_in_progress`: A request with this key is being answered. `state_conflict`: The present state does not allow that. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used with another request. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.jobs.cancel": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, a UUID say. A request that is sent again with it within 24 hours takes effect once and is answered the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id in the path. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has ended, or was asked to. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "outcome": "cancelled"
                     *     }
                     */
                    "application/json": {
                        id: string;
                        /**
                         * @description `requested`: it is running; it is cancelled unless it has done its work before it notices.
                         * @enum {string}
                         */
                        outcome: "cancelled" | "requested";
                    };
                };
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_in_progress`: A request with this key is being answered. `state_conflict`: The present state does not allow that. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used with another request. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.queues.list": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queues, by name. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "name": "text",
                     *           "paused": true,
                     *           "note": "text",
                     *           "ready": 0,
                     *           "oldest_ready_at": "2026-11-21T08:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: {
                            name: string;
                            paused: boolean;
                            /** @description Why it is paused. */
                            note: string | null;
                            /**
                             * Format: int64
                             * @description Jobs that wait for a runner.
                             */
                            ready: number;
                            /** @description Since when the one that waits for longest has been ready. */
                            oldest_ready_at: string | null;
                        }[];
                    };
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.queues.pause": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, a UUID say. A request that is sent again with it within 24 hours takes effect once and is answered the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The name in the path. */
                name: string;
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "note": "text"
                 *     }
                 */
                "application/json": {
                    /** @description Why, for others to read. */
                    note?: string;
                };
            };
        };
        responses: {
            /** @description It is paused on every node. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_json`: The request body is not valid JSON. `validation_failed`: The request is not valid. `unknown_field`: The request names a field that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_in_progress`: A request with this key is being answered. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used with another request. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.queues.resume": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, a UUID say. A request that is sent again with it within 24 hours takes effect once and is answered the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The name in the path. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is not paused any more. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_in_progress`: A request with this key is being answered. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used with another request. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.stats": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jobs": {
                     *         "ready": 0,
                     *         "scheduled": 0,
                     *         "running": 0,
                     *         "blocked": 0,
                     *         "done": 0,
                     *         "dead": 0,
                     *         "cancelled": 0
                     *       },
                     *       "queues": [
                     *         {
                     *           "name": "text",
                     *           "paused": true,
                     *           "note": "text",
                     *           "ready": 0,
                     *           "oldest_ready_at": "2026-11-21T08:30:00.000Z"
                     *         }
                     *       ],
                     *       "runners": [
                     *         {
                     *           "id": "text",
                     *           "name": "text"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        jobs: {
                            /** Format: int64 */
                            ready: number;
                            /** Format: int64 */
                            scheduled: number;
                            /** Format: int64 */
                            running: number;
                            /** Format: int64 */
                            blocked: number;
                            /** Format: int64 */
                            done: number;
                            /** Format: int64 */
                            dead: number;
                            /** Format: int64 */
                            cancelled: number;
                        };
                        queues: {
                            name: string;
                            paused: boolean;
                            /** @description Why it is paused. */
                            note: string | null;
                            /**
                             * Format: int64
                             * @description Jobs that wait for a runner.
                             */
                            ready: number;
                            /** @description Since when the one that waits for longest has been ready. */
                            oldest_ready_at: string | null;
                        }[];
                        runners: {
                            id: string;
                            name: string;
                        }[];
                    };
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.providers.list": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them, those of the configuration first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "name": "text",
                     *           "scheme": "text",
                     *           "title": "text",
                     *           "source": "configuration",
                     *           "path": "text",
                     *           "tolerance_seconds": 0,
                     *           "jwks_url": "text",
                     *           "settings": [
                     *             "text"
                     *           ],
                     *           "schema_types": [
                     *             "text"
                     *           ],
                     *           "keys": [
                     *             {
                     *               "id": "text",
                     *               "key_id": "text",
                     *               "state": "waiting",
                     *               "not_before": "2026-11-21T08:30:00.000Z",
                     *               "not_after": "2026-11-21T08:30:00.000Z"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "page": {
                     *         "limit": 1,
                     *         "has_more": true,
                     *         "next_cursor": "text",
                     *         "prev_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            name: string;
                            scheme: string;
                            /** @description The sender's name as it writes it. */
                            title: string;
                            /**
                             * @description Those of the configuration are changed there, and only there.
                             * @enum {string}
                             */
                            source: "configuration" | "stored";
                            /** @description Where it delivers. */
                            path: string;
                            tolerance_seconds: number | null;
                            jwks_url: string | null;
                            /** @description The names of what is set; values are never shown. */
                            settings: string[];
                            /** @description The types whose payloads are checked. */
                            schema_types: string[];
                            /** @description Never the keys themselves; none are listed for those of the configuration. */
                            keys: {
                                id: string;
                                /** @description What the sender's messages call it. */
                                key_id: string | null;
                                /** @enum {string} */
                                state: "waiting" | "good" | "ended";
                                /** Format: date-time */
                                not_before: string;
                                not_after: string | null;
                            }[];
                        }[];
                        page: {
                            /** Format: int32 */
                            limit: number;
                            /** @description Whether there is a next page. */
                            has_more: boolean;
                            next_cursor: string | null;
                            prev_cursor: string | null;
                        };
                    };
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.providers.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, a UUID say. A request that is sent again with it within 24 hours takes effect once and is answered the same. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "text",
                 *       "scheme": "text",
                 *       "key": "text",
                 *       "key_id": "text",
                 *       "jwks_url": "text",
                 *       "settings": {},
                 *       "tolerance_seconds": 0,
                 *       "schemas": {}
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @description The provider's name unless given. */
                    scheme?: string;
                    /** @description In the sender's own notation: a secret or a public key. */
                    key?: string;
                    /** @description Where the sender's messages name keys: its name for this one. */
                    key_id?: string;
                    /** @description A key set by https URL, instead of a key. */
                    jwks_url?: string;
                    /** @description What the scheme needs besides keys. */
                    settings?: {
                        [key: string]: string | string[];
                    };
                    tolerance_seconds?: number;
                    /** @description JSON Schemas of payloads by type, with `*` for any run of characters. */
                    schemas?: {
                        [key: string]: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description It can deliver. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "text",
                     *       "scheme": "text",
                     *       "title": "text",
                     *       "source": "configuration",
                     *       "path": "text",
                     *       "tolerance_seconds": 0,
                     *       "jwks_url": "text",
                     *       "settings": [
                     *         "text"
                     *       ],
                     *       "schema_types": [
                     *         "text"
                     *       ],
                     *       "keys": [
                     *         {
                     *           "id": "text",
                     *           "key_id": "text",
                     *           "state": "waiting",
                     *           "not_before": "2026-11-21T08:30:00.000Z",
                     *           "not_after": "2026-11-21T08:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        name: string;
                        scheme: string;
                        /** @description The sender's name as it writes it. */
                        title: string;
                        /**
                         * @description Those of the configuration are changed there, and only there.
                         * @enum {string}
                         */
                        source: "configuration" | "stored";
                        /** @description Where it delivers. */
                        path: string;
                        tolerance_seconds: number | null;
                        jwks_url: string | null;
                        /** @description The names of what is set; values are never shown. */
                        settings: string[];
                        /** @description The types whose payloads are checked. */
                        schema_types: string[];
                        /** @description Never the keys themselves; none are listed for those of the configuration. */
                        keys: {
                            id: string;
                            /** @description What the sender's messages call it. */
                            key_id: string | null;
                            /** @enum {string} */
                            state: "waiting" | "good" | "ended";
                            /** Format: date-time */
                            not_before: string;
                            not_after: string | null;
                        }[];
                    };
                };
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_json`: The request body is not valid JSON. `validation_failed`: The request is not valid. `unknown_field`: The request names a field that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_in_progress`: A request with this key is being answered. `conflict`: A value that must be unique is taken. `state_conflict`: The present state does not allow that. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used with another request. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.providers.read": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The name in the path. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The provider. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "text",
                     *       "scheme": "text",
                     *       "title": "text",
                     *       "source": "configuration",
                     *       "path": "text",
                     *       "tolerance_seconds": 0,
                     *       "jwks_url": "text",
                     *       "settings": [
                     *         "text"
                     *       ],
                     *       "schema_types": [
                     *         "text"
                     *       ],
                     *       "keys": [
                     *         {
                     *           "id": "text",
                     *           "key_id": "text",
                     *           "state": "waiting",
                     *           "not_before": "2026-11-21T08:30:00.000Z",
                     *           "not_after": "2026-11-21T08:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        name: string;
                        scheme: string;
                        /** @description The sender's name as it writes it. */
                        title: string;
                        /**
                         * @description Those of the configuration are changed there, and only there.
                         * @enum {string}
                         */
                        source: "configuration" | "stored";
                        /** @description Where it delivers. */
                        path: string;
                        tolerance_seconds: number | null;
                        jwks_url: string | null;
                        /** @description The names of what is set; values are never shown. */
                        settings: string[];
                        /** @description The types whose payloads are checked. */
                        schema_types: string[];
                        /** @description Never the keys themselves; none are listed for those of the configuration. */
                        keys: {
                            id: string;
                            /** @description What the sender's messages call it. */
                            key_id: string | null;
                            /** @enum {string} */
                            state: "waiting" | "good" | "ended";
                            /** Format: date-time */
                            not_before: string;
                            not_after: string | null;
                        }[];
                    };
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.providers.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name in the path. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its deliveries are not taken any more. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `state_conflict`: The present state does not allow that. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.providers.rotate": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, a UUID say. A request that is sent again with it within 24 hours takes effect once and is answered the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The name in the path. */
                name: string;
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key": "text",
                 *       "key_id": "text",
                 *       "not_before": "2026-11-21T08:30:00.000Z",
                 *       "overlap_seconds": 86400
                 *     }
                 */
                "application/json": {
                    /** @description In the sender's own notation: a secret or a public key. */
                    key: string;
                    /** @description Where the sender's messages name keys: its name for this one. */
                    key_id?: string;
                    /**
                     * Format: date-time
                     * @description When it becomes good; at once unless given.
                     */
                    not_before?: string;
                    /**
                     * Format: int32
                     * @description How long the old keys stay good beside it; a day unless given, 0 ends them.
                     * @default 86400
                     */
                    overlap_seconds?: number;
                };
            };
        };
        responses: {
            /** @description The provider with its keys. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "text",
                     *       "scheme": "text",
                     *       "title": "text",
                     *       "source": "configuration",
                     *       "path": "text",
                     *       "tolerance_seconds": 0,
                     *       "jwks_url": "text",
                     *       "settings": [
                     *         "text"
                     *       ],
                     *       "schema_types": [
                     *         "text"
                     *       ],
                     *       "keys": [
                     *         {
                     *           "id": "text",
                     *           "key_id": "text",
                     *           "state": "waiting",
                     *           "not_before": "2026-11-21T08:30:00.000Z",
                     *           "not_after": "2026-11-21T08:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        name: string;
                        scheme: string;
                        /** @description The sender's name as it writes it. */
                        title: string;
                        /**
                         * @description Those of the configuration are changed there, and only there.
                         * @enum {string}
                         */
                        source: "configuration" | "stored";
                        /** @description Where it delivers. */
                        path: string;
                        tolerance_seconds: number | null;
                        jwks_url: string | null;
                        /** @description The names of what is set; values are never shown. */
                        settings: string[];
                        /** @description The types whose payloads are checked. */
                        schema_types: string[];
                        /** @description Never the keys themselves; none are listed for those of the configuration. */
                        keys: {
                            id: string;
                            /** @description What the sender's messages call it. */
                            key_id: string | null;
                            /** @enum {string} */
                            state: "waiting" | "good" | "ended";
                            /** Format: date-time */
                            not_before: string;
                            not_after: string | null;
                        }[];
                    };
                };
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_json`: The request body is not valid JSON. `validation_failed`: The request is not valid. `unknown_field`: The request names a field that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_in_progress`: A request with this key is being answered. `state_conflict`: The present state does not allow that. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `idempotency_key_reused`: The idempotency key was used with another request. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.providers.deleteKey": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name in the path. */
                name: string;
                /** @description The id in the path. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Nothing signed with it is taken any more. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `not_found`: There is no such thing. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `state_conflict`: The present state does not allow that. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.events.replayMany": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "state": "dead",
                 *       "provider": "text",
                 *       "type": "text",
                 *       "received_since": "2026-11-21T08:30:00.000Z",
                 *       "received_before": "2026-11-21T08:30:00.000Z",
                 *       "after": "1",
                 *       "dry_run": false,
                 *       "force": false,
                 *       "per_second": 0.01,
                 *       "limit": 1000
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    state: "dead" | "cancelled" | "quarantined" | "ignored" | "processed";
                    provider?: string;
                    type?: string;
                    /**
                     * Format: date-time
                     * @description Received at this time or later.
                     */
                    received_since?: string;
                    /** Format: date-time */
                    received_before?: string;
                    /** @description Only events behind this one: `next` of the replay before. */
                    after?: string;
                    /**
                     * @description Only says what would be done.
                     * @default false
                     */
                    dry_run?: boolean;
                    /**
                     * @description Needed for events that have been processed.
                     * @default false
                     */
                    force?: boolean;
                    /** @description How many events begin in a second; as fast as there are free slots unless given. */
                    per_second?: number;
                    /**
                     * Format: int32
                     * @description The most events that are looked at.
                     * @default 1000
                     */
                    limit?: number;
                };
            };
        };
        responses: {
            /** @description Their jobs are waiting to run; with `dry_run` nothing was changed. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dry_run": true,
                     *       "matched": 0,
                     *       "replayed": 0,
                     *       "jobs": 0,
                     *       "skipped": [
                     *         {
                     *           "reason": "text",
                     *           "events": 0
                     *         }
                     *       ],
                     *       "last_due_at": "2026-11-21T08:30:00.000Z",
                     *       "next": "text"
                     *     }
                     */
                    "application/json": {
                        dry_run: boolean;
                        /** Format: int64 */
                        matched: number;
                        /**
                         * Format: int64
                         * @description Events that run again, or would.
                         */
                        replayed: number;
                        /**
                         * Format: int64
                         * @description Jobs that were made.
                         */
                        jobs: number;
                        skipped: {
                            reason: string;
                            /** Format: int64 */
                            events: number;
                        }[];
                        /** @description When the last of them begins. */
                        last_due_at: string | null;
                        /** @description Say it as `after` to go on where this one ended. */
                        next: string | null;
                    };
                };
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_json`: The request body is not valid JSON. `validation_failed`: The request is not valid. `unknown_field`: The request names a field that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `content_too_large`: The request body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unsupported_media_type`: The request body is of a type or coding that is not taken here. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.audit.list": {
        parameters: {
            query?: {
                /** @description How many items at the most, 1 to 100; 20 unless given. */
                limit?: string;
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, sort and filter. */
                cursor?: string;
                /** @description A user's id, or an operator's name. */
                actor?: string;
                /** @description Only those with this `action`. */
                action?: string;
                /** @description Only those with this `resource`. */
                resource?: string;
                /** @description The id of what it was done to. */
                id?: string;
                /** @description Not before this moment. */
                since?: string;
                /** @description Before this moment. */
                until?: string;
            };
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "text",
                     *           "at": "2026-11-21T08:30:00.000Z",
                     *           "actor": {
                     *             "kind": "user",
                     *             "id": "text"
                     *           },
                     *           "credential": "text",
                     *           "action": "text",
                     *           "resource": "text",
                     *           "resource_id": "text",
                     *           "result": "text",
                     *           "request_id": "text",
                     *           "address": "text",
                     *           "fields": [
                     *             "text"
                     *           ]
                     *         }
                     *       ],
                     *       "page": {
                     *         "limit": 1,
                     *         "has_more": true,
                     *         "next_cursor": "text",
                     *         "prev_cursor": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            id: string;
                            /** Format: date-time */
                            at: string;
                            actor: {
                                /** @enum {string} */
                                kind: "user" | "operator" | "anonymous";
                                /** @description The user's id, or the operator's name. */
                                id: string | null;
                            };
                            /** @description What the actor proved themselves with: `session:…`, `cli`. */
                            credential: string | null;
                            /** @description The operation, by its `operationId`, or the event. */
                            action: string;
                            resource: string | null;
                            resource_id: string | null;
                            /** @description `done`, or the code of the error it ended with. */
                            result: string;
                            request_id: string;
                            address: string;
                            /** @description The fields that were given a value; never the values. */
                            fields: string[];
                        }[];
                        page: {
                            /** Format: int32 */
                            limit: number;
                            /** @description Whether there is a next page. */
                            has_more: boolean;
                            next_cursor: string | null;
                            prev_cursor: string | null;
                        };
                    };
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. `invalid_cursor`: The cursor was not issued for this list. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "about.openapi": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.1"
                     *     }
                     */
                    "application/json": {
                        /** @example 3.1.1 */
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "about.docs": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description HTML. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
    "admin.deprecations": {
        parameters: {
            query?: {
                /** @description How many days back, today included; 30 unless given. */
                days?: string;
            };
            header?: {
                /** @description The `ETag` of what you have: 304 while it is still the same. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every entry of the registry with its users, most calls first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "text",
                     *           "state": "announced",
                     *           "sunset_at": "2026-11-21",
                     *           "calls": 0,
                     *           "clients": [
                     *             {
                     *               "client": "text",
                     *               "agent": "text",
                     *               "calls": 1,
                     *               "first_used_at": "2026-11-21T08:30:00.000Z",
                     *               "last_used_at": "2026-11-21T08:30:00.000Z"
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: {
                            id: string;
                            /** @enum {string} */
                            state: "announced" | "deprecated" | "sunset";
                            /** Format: date */
                            sunset_at: string;
                            /** Format: int64 */
                            calls: number;
                            clients: {
                                /** @description `user:<id>`, `anonymous`, … */
                                client: string;
                                /** @description The program, as it calls itself. */
                                agent: string;
                                /** Format: int64 */
                                calls: number;
                                /** Format: date-time */
                                first_used_at: string;
                                /** Format: date-time */
                                last_used_at: string;
                            }[];
                        }[];
                    };
                };
            };
            /** @description It is what `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `unknown_parameter`: The request has a query parameter that does not exist here. `invalid_parameter`: A query parameter is not valid. `malformed_header`: A request header is malformed. `multiple_credentials`: The request carries more than one credential. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `unauthenticated`: This needs a credential. `invalid_token`: The access token is not valid. `token_expired`: The access token has expired. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `forbidden`: This credential does not allow that. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `precondition_failed`: The resource has changed. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `internal_error`: Something went wrong here. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `overloaded`: Too busy at the moment. `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            default: components["responses"]["Other"];
        };
    };
}
