// Made from contracts/v1/openapi.json by test/client-types.test.ts.
export interface paths {
    "/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users you may read
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `users:read`. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["users.list"];
        put?: never;
        /**
         * Sign up
         * @description Anyone may call this. An API key needs the scope `users:write`.
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
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `users:write`. Needs a sign-in: API keys cannot do this.
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
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `users:read`.
         */
        get: operations["users.read"];
        /**
         * Replace a user
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `users:write`.
         */
        put: operations["users.replace"];
        post?: never;
        /**
         * Delete a user and all that belongs to it
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `users:write`.
         */
        delete: operations["users.delete"];
        options?: never;
        head?: never;
        /**
         * Change some members of a user (JSON merge patch, RFC 7396)
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `users:write`.
         */
        patch: operations["users.update"];
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions you may read
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `sessions:read`. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["sessions.list"];
        put?: never;
        /**
         * Sign in
         * @description Anyone may call this.
         */
        post: operations["sessions.create"];
        /**
         * Sign out everywhere: end all your sessions
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `sessions:write`.
         */
        delete: operations["sessions.deleteAll"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/mfa": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish a sign-in with the second factor
         * @description Anyone may call this.
         */
        post: operations["sessions.finish"];
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
         * @description Anyone may call this.
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
         * Sign out: end one of your sessions; `current` is the one that this request uses
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `sessions:write`.
         */
        delete: operations["sessions.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/grants/{id}/scopes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Leave a client fewer scopes than you allowed it; its tokens lose the others at once
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `grants:write`.
         */
        put: operations["grants.narrow"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/grants/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a grant
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `grants:read`.
         */
        get: operations["grants.read"];
        put?: never;
        post?: never;
        /**
         * End a grant, which you gave to a client; its tokens end at once
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `grants:write`.
         */
        delete: operations["grants.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/outside-identities/{identityId}": {
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
         * End the link to an outside account; its tokens are refused from the next request on
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `outside-identities:write`. Needs a sign-in: API keys cannot do this.
         */
        delete: operations["outside-identities.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the grants you may read
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `grants:read`. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["grants.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/outside-identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the outside identities of a user that you may read
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `outside-identities:read`. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["outside-identities.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `posts:read`. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["posts.list"];
        put?: never;
        /**
         * Create a post
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `posts:write`.
         */
        post: operations["posts.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the posts you may read
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `posts:read`. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["posts.list-all"];
        put?: never;
        /**
         * Create a post of your own
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `posts:write`.
         */
        post: operations["posts.create-own"];
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
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `posts:read`.
         */
        get: operations["posts.read"];
        /**
         * Replace a post, or create it under an id of your own
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `posts:write`.
         */
        put: operations["posts.replace"];
        post?: never;
        /**
         * Delete a post and all that belongs to it
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `posts:write`.
         */
        delete: operations["posts.delete"];
        options?: never;
        head?: never;
        /**
         * Change some members of a post (JSON merge patch, RFC 7396)
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `posts:write`.
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
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `comments:read`. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["comments.list"];
        put?: never;
        /**
         * Create a comment
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `comments:write`.
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
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `comments:read`.
         */
        get: operations["comments.read"];
        /**
         * Replace a comment, or create it under an id of your own
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `comments:write`.
         */
        put: operations["comments.replace"];
        post?: never;
        /**
         * Delete a comment and all that belongs to it
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `comments:write`.
         */
        delete: operations["comments.delete"];
        options?: never;
        head?: never;
        /**
         * Change some members of a comment (JSON merge patch, RFC 7396)
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `comments:write`.
         */
        patch: operations["comments.update"];
        trace?: never;
    };
    "/password-resets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a link with which to set a new password
         * @description Anyone may call this.
         */
        post: operations["password-resets.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/password-resets/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password with the token of a mailed link
         * @description Anyone may call this.
         */
        post: operations["password-resets.finish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitations/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation: set the first password with the token of its link
         * @description Anyone may call this.
         */
        post: operations["invitations.accept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/email-verifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a link with which to verify your address
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `users:write`.
         */
        post: operations["email-verifications.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/email-verifications/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an address with the token of a mailed link
         * @description Anyone may call this.
         */
        post: operations["email-verifications.finish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sign-ups/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish a sign-up with the token of a mailed link
         * @description Anyone may call this.
         */
        post: operations["sign-ups.finish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/email-changes/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish a change of address with the token of a mailed link
         * @description Anyone may call this.
         */
        post: operations["email-changes.finish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to set up a second factor; the secret is shown this once
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `users:write`. Needs a sign-in: API keys cannot do this.
         */
        post: operations["second-factors.create"];
        /**
         * End your second factor; administrators can end that of a user who has lost it
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `users:write`. Needs a sign-in: API keys cannot do this.
         */
        delete: operations["second-factors.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/second-factor/confirmation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm the second factor with a code; every other session ends
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `users:write`. Needs a sign-in: API keys cannot do this.
         */
        post: operations["second-factors.confirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for an archive of your data
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `users:read`. Needs a sign-in: API keys cannot do this.
         */
        post: operations["exports.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/exports/{exportId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See the state of an export of your data
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `users:read`. Needs a sign-in: API keys cannot do this.
         */
        get: operations["exports.read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/exports/{exportId}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch the archive of an export, within 24 hours
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `users:read`. Needs a sign-in: API keys cannot do this.
         */
        get: operations["exports.read-archive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the api keys you may read
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `api-keys:read`. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["api-keys.list"];
        put?: never;
        /**
         * Make an API key; it is shown this once
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `api-keys:write`. Needs a sign-in: API keys cannot do this.
         */
        post: operations["api-keys.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a key that replaces another; the old key stays valid for a while
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `api-keys:write`. Needs a sign-in: API keys cannot do this.
         */
        post: operations["api-keys.rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an api key
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `api-keys:read`.
         */
        get: operations["api-keys.read"];
        put?: never;
        post?: never;
        /**
         * End an API key at once
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `api-keys:write`.
         */
        delete: operations["api-keys.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Deliver a webhook in the query, or answer a handshake, where the sender does so by GET
         * @description The signature is the credential.
         */
        get: operations["webhooks.receiveByGet"];
        /**
         * Deliver a webhook, where the sender does so by PUT
         * @description The signature is the credential.
         */
        put: operations["webhooks.receiveByPut"];
        /**
         * Deliver a webhook; the signature is the credential
         * @description The signature is the credential.
         */
        post: operations["webhooks.receive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/signing-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys that access tokens are signed with
         * @description For administrators. An API key needs the scope `signing-keys:read`. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["admin.signing-keys.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/signing-keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let the next key sign access tokens
         * @description For administrators. An API key needs the scope `signing-keys:write`.
         */
        post: operations["admin.signing-keys.rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the clients of OAuth 2
         * @description For administrators. An API key needs the scope `clients:read`. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["admin.clients.list"];
        put?: never;
        /**
         * Make a client of OAuth 2; its secret is shown this once
         * @description For administrators. An API key needs the scope `clients:write`. Needs a sign-in: API keys cannot do this.
         */
        post: operations["admin.clients.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/clients/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a client of OAuth 2
         * @description For administrators. An API key needs the scope `clients:read`.
         */
        get: operations["admin.clients.read"];
        put?: never;
        post?: never;
        /**
         * Remove a client; all its tokens end at once
         * @description For administrators. An API key needs the scope `clients:write`.
         */
        delete: operations["admin.clients.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/clients/{id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a client a new secret; the old one ends at once
         * @description For administrators. An API key needs the scope `clients:write`. Needs a sign-in: API keys cannot do this.
         */
        post: operations["admin.clients.renew-secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/clients/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the public keys of a client; the old ones, or its secret, end at once
         * @description For administrators. An API key needs the scope `clients:write`. Needs a sign-in: API keys cannot do this.
         */
        post: operations["admin.clients.replace-keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/clients/{id}/grant-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Say how a client may get tokens; those that it has stay valid until they expire
         * @description For administrators. An API key needs the scope `clients:write`. Needs a sign-in: API keys cannot do this.
         */
        put: operations["admin.clients.replace-grant-types"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{id}/outside-identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Link an account or a program at an outside issuer to a user
         * @description For administrators. An API key needs the scope `users:write`. Needs a sign-in: API keys cannot do this.
         */
        post: operations["admin.outside-identities.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite somebody: make an account whose owner chooses the password by a link
         * @description For administrators. An API key needs the scope `invitations:write`.
         */
        post: operations["admin.invitations.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say who has signed in, and what they may do
         * @description Needs a signed-in user, and answers only what that user may see. An API key needs the scope `users:read`. Needs a sign-in: API keys cannot do this.
         */
        get: operations["admin.me"];
        put?: never;
        post?: never;
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
         * @description For administrators. An API key needs the scope `events:read`. The scope `events:reveal` adds errors of handlers. Paged: follow `Link` rel="next" or the page's cursors.
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
    "/admin/events/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read many webhook events with their bodies and their jobs
         * @description For administrators. An API key needs the scope `events:read`. The scope `events:reveal` adds headers, bodies, answers of targets and errors of handlers.
         */
        get: operations["admin.events.export"];
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
         * @description For administrators. An API key needs the scope `events:read`. The scope `events:reveal` adds headers, bodies, answers of targets and errors of handlers.
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
         * Run a dead, cancelled, ignored, quarantined or discarded event again
         * @description For administrators. An API key needs the scope `events:replay`.
         */
        post: operations["admin.events.replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/events/{id}/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give up a dead, cancelled, ignored or quarantined event; only a replay takes that back
         * @description For administrators. An API key needs the scope `events:replay`.
         */
        post: operations["admin.events.discard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/events/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search webhook events by text in their payload
         * @description For administrators. An API key needs the scope `events:reveal`.
         */
        get: operations["admin.events.search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say what an id names: an event, a job, a plan, a sender, a user, …
         * @description For administrators. An API key needs the scope `events:read`. The scope `jobs:read` adds what is found of the kind `job`. The scope `plans:read` adds what is found of the kind `plan`. The scope `causes:read` adds what is found of the kind `cause`. The scope `providers:read` adds what is found of the kind `provider`. The scope `users:read` adds what is found of the kind `user`. The scope `sessions:read` adds what is found of the kind `session`. The scope `api-keys:read` adds what is found of the kind `api_key`. The scope `clients:read` adds what is found of the kind `client`. The scope `audit:read` adds what is found of the kind `audit_entries`.
         */
        get: operations["admin.find"];
        put?: never;
        post?: never;
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
         * @description For administrators. An API key needs the scope `jobs:read`. The scope `events:reveal` adds errors of handlers. Paged: follow `Link` rel="next" or the page's cursors.
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
         * @description For administrators. An API key needs the scope `jobs:read`. The scope `events:reveal` adds errors of handlers.
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
    "/admin/jobs/{id}/neighbours": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the jobs of the same order key before and after a job
         * @description For administrators. An API key needs the scope `jobs:read`. The scope `events:reveal` adds errors of handlers.
         */
        get: operations["admin.jobs.neighbours"];
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
         * Run a dead or cancelled job again, or run a scheduled job at once
         * @description For administrators. An API key needs the scope `jobs:write`.
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
         * Cancel a job: a running job is told to stop, and a dead one releases its order key
         * @description For administrators. An API key needs the scope `jobs:write`.
         */
        post: operations["admin.jobs.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/causes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the causes of failures, those with most failures first
         * @description For administrators. An API key needs the scope `causes:read`. The scope `events:reveal` adds errors of handlers. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["admin.causes.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/feed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow events, failed jobs and alerts as they happen
         * @description For administrators. An API key needs the scope `feed:read`. The scope `events:reveal` adds errors of handlers.
         */
        get: operations["admin.feed.read"];
        put?: never;
        post?: never;
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
         * List the queues, with their limits, what waits and what runs
         * @description For administrators. An API key needs the scope `queues:read`.
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
         * Pause a queue: no job starts any more, running jobs go on, and new jobs are stored
         * @description For administrators. An API key needs the scope `queues:write`.
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
         * @description For administrators. An API key needs the scope `queues:write`.
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
         * Count jobs by state, list queues and runners, and say what is still to be deleted
         * @description For administrators. An API key needs the scope `stats:read`.
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
    "/admin/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the schedules of the application
         * @description For administrators. An API key needs the scope `schedules:read`.
         */
        get: operations["admin.schedules.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/schedules/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a schedule: its times pass without a run, and a job that runs goes on
         * @description For administrators. An API key needs the scope `schedules:write`.
         */
        post: operations["admin.schedules.pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/schedules/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the pause of a schedule: it runs again at its next time
         * @description For administrators. An API key needs the scope `schedules:write`.
         */
        post: operations["admin.schedules.resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/schedules/{name}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a schedule now, beside its times, also while it is paused
         * @description For administrators. An API key needs the scope `schedules:write`.
         */
        post: operations["admin.schedules.run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say in a sentence whether work flows and what holds it, with the facts behind it
         * @description For administrators. An API key needs the scope `health:read`.
         */
        get: operations["admin.health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say how many webhooks came and how many jobs ended, minute by minute, by hours or by days
         * @description For administrators. An API key needs the scope `counts:read`.
         */
        get: operations["admin.counts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/counts/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say of each sender how many webhooks came and how many of its jobs ended
         * @description For administrators. An API key needs the scope `counts:read`.
         */
        get: operations["admin.counts-by-provider"];
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
         * @description For administrators. An API key needs the scope `providers:read`. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["admin.providers.list"];
        put?: never;
        /**
         * Add a sender of webhooks
         * @description For administrators. An API key needs the scope `providers:write`.
         */
        post: operations["admin.providers.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/schemes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the schemes that a sender may have
         * @description For administrators. An API key needs the scope `providers:read`.
         */
        get: operations["admin.schemes.list"];
        put?: never;
        post?: never;
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
         * @description For administrators. An API key needs the scope `providers:read`.
         */
        get: operations["admin.providers.read"];
        put?: never;
        post?: never;
        /**
         * Remove a sender of webhooks; its events stay
         * @description For administrators. An API key needs the scope `providers:write`.
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
         * Give a sender a new key; the old keys stay valid for a while
         * @description For administrators. An API key needs the scope `providers:write`.
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
         * @description For administrators. An API key needs the scope `providers:write`.
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
         * Run all matching events again, oldest first
         * @description For administrators. An API key needs the scope `events:replay`.
         */
        post: operations["admin.events.replayMany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the plans that replay or discard events, or retry or cancel jobs
         * @description For administrators. An API key needs the scope `plans:read`. The scope `events:reveal` adds the text that a plan looks for in payloads. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["admin.plans.list"];
        put?: never;
        /**
         * Plan to replay or discard all matching events, or to retry or cancel all matching jobs
         * @description For administrators. An API key needs the scope `events:replay`. The scope `events:reveal` adds choosing events by text in their payload. The scope `jobs:write` adds plans about jobs.
         */
        post: operations["admin.plans.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/plans/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a plan: what it would do, what it has done, and what is left
         * @description For administrators. An API key needs the scope `plans:read`. The scope `events:reveal` adds the text that a plan looks for in payloads.
         */
        get: operations["admin.plans.read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/plans/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a plan in the background, at its rate
         * @description For administrators. An API key needs the scope `events:replay`. The scope `events:reveal` adds the text that a plan looks for in payloads.
         */
        post: operations["admin.plans.run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/plans/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a plan; jobs that it has made go on
         * @description For administrators. An API key needs the scope `events:replay`. The scope `events:reveal` adds the text that a plan looks for in payloads.
         */
        post: operations["admin.plans.pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/plans/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on with a plan that is paused
         * @description For administrators. An API key needs the scope `events:replay`. The scope `events:reveal` adds the text that a plan looks for in payloads.
         */
        post: operations["admin.plans.resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/plans/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a plan for good; what it has done stays
         * @description For administrators. An API key needs the scope `events:replay`. The scope `events:reveal` adds the text that a plan looks for in payloads.
         */
        post: operations["admin.plans.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/refusals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries that were refused, and why
         * @description For administrators. An API key needs the scope `refusals:read`. The scope `events:reveal` adds addresses, values of headers and bodies. Paged: follow `Link` rel="next" or the page's cursors.
         */
        get: operations["admin.refusals.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/refusals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how a delivery was verified that was refused, and what to do
         * @description For administrators. An API key needs the scope `refusals:read`. The scope `events:reveal` adds addresses, values of headers and bodies.
         */
        get: operations["admin.refusals.read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/events/{id}/trace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how a stored webhook event was verified
         * @description For administrators. An API key needs the scope `events:read`. The scope `events:reveal` adds values of headers and of the key of repeats.
         */
        get: operations["admin.events.trace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/events/{id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Note something about a webhook event, for others; up to 50 times
         * @description For administrators. An API key needs the scope `events:replay`.
         */
        post: operations["admin.events.note"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/events/{id}/difference": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare the payload of an event with that of the last good event of the same type
         * @description For administrators. An API key needs the scope `events:reveal`.
         */
        get: operations["admin.events.difference"];
        put?: never;
        post?: never;
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
         * @description For administrators. An API key needs the scope `audit:read`. Paged: follow `Link` rel="next" or the page's cursors.
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
    "/admin/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the settings in effect, each with what sets it; secrets are not shown
         * @description For administrators. An API key needs the scope `settings:read`.
         */
        get: operations["admin.settings"];
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
         * @description For administrators. An API key needs the scope `deprecations:read`.
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
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This version as an OpenAPI document
         * @description Anyone may call this.
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
         * @description Anyone may call this.
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        api_key_with_relations: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
        } & WithRequired<components["schemas"]["api_key_with_relations_selection"], "id" | "user_id" | "name" | "scopes" | "expires_at" | "last_used_at" | "created_at" | "updated_at">;
        api_key_with_relations_selection: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id?: string;
            /**
             * Format: uuid
             * @description Whose it is.
             */
            user_id?: string;
            /**
             * @description The purpose of the key.
             * @example nightly export
             */
            name?: string;
            /**
             * @description The scopes of the key.
             * @example [
             *       "posts:read"
             *     ]
             */
            scopes?: string[];
            /**
             * @description When it ends; null if it does not end.
             * @example 2027-11-21T00:00:00.000Z
             */
            expires_at?: string | null;
            /** @description When it was last used, to the minute; null if it never was. */
            last_used_at?: string | null;
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
            user?: components["schemas"]["user_with_posts_selection"] | null;
        };
        api_key_with_secret: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
            /**
             * Format: uuid
             * @description Whose it is.
             */
            user_id: string;
            /**
             * @description The purpose of the key.
             * @example nightly export
             */
            name: string;
            /**
             * @description The scopes of the key.
             * @example [
             *       "posts:read"
             *     ]
             */
            scopes: string[];
            /**
             * @description When it ends; null if it does not end.
             * @example 2027-11-21T00:00:00.000Z
             */
            expires_at: string | null;
            /** @description When it was last used, to the minute; null if it never was. */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /**
             * @description The key itself. It is shown this once and never again.
             * @example ak_2zX7mVqN4bKcY9RtWfLhJd_5sPgT8uEoA1iQwZnBxMvCrD3kHyLfGjS6pXqTaUeV2mNb
             */
            key: string;
        };
        /**
         * @example {
         *       "id": "731",
         *       "at": "2026-11-21T08:30:00.120Z",
         *       "actor": {
         *         "kind": "user",
         *         "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a"
         *       },
         *       "credential": "session:019a5e2d-1f60-7a08-8d7c-5a90be3f2c41",
         *       "action": "posts.update",
         *       "resource": "post",
         *       "resource_id": "019a5e2e-90b2-7d15-a3f4-c17d0e6b8a92",
         *       "result": "done",
         *       "request_id": "3f1d9a52-8c0e-4a53-9a57-0f5b7d9c2e11",
         *       "address": "192.0.2.7",
         *       "fields": [
         *         "title",
         *         "status"
         *       ],
         *       "place": 730,
         *       "digest": "5cFQzK0r8vJ1mYd2WnXo6TtGhL4sRbE9uPiAqC7wNfM",
         *       "salt": "Qm3xV8kZr1tYw6Ub"
         *     }
         */
        audit_entry: {
            id: string;
        } & WithRequired<components["schemas"]["audit_entry_selection"], "id" | "at" | "actor" | "credential" | "action" | "resource" | "resource_id" | "result" | "request_id" | "address" | "fields" | "place" | "digest" | "salt">;
        /**
         * @example {
         *       "id": "731",
         *       "at": "2026-11-21T08:30:00.120Z",
         *       "actor": {
         *         "kind": "user",
         *         "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a"
         *       },
         *       "credential": "session:019a5e2d-1f60-7a08-8d7c-5a90be3f2c41",
         *       "action": "posts.update",
         *       "resource": "post",
         *       "resource_id": "019a5e2e-90b2-7d15-a3f4-c17d0e6b8a92",
         *       "result": "done",
         *       "request_id": "3f1d9a52-8c0e-4a53-9a57-0f5b7d9c2e11",
         *       "address": "192.0.2.7",
         *       "fields": [
         *         "title",
         *         "status"
         *       ],
         *       "place": 730,
         *       "digest": "5cFQzK0r8vJ1mYd2WnXo6TtGhL4sRbE9uPiAqC7wNfM",
         *       "salt": "Qm3xV8kZr1tYw6Ub"
         *     }
         */
        audit_entry_selection: {
            id?: string;
            /** Format: date-time */
            at?: string;
            actor?: {
                /** @enum {string} */
                kind: "user" | "operator" | "anonymous";
                /** @description The user's id, or the operator's name. */
                id: string | null;
            };
            /** @description The credential that the actor used: `session:…`, `api-key:…`, `cli`. */
            credential?: string | null;
            /** @description The operation's `operationId`, or the name of the event. */
            action?: string;
            resource?: string | null;
            resource_id?: string | null;
            /** @description `done`, or the code of the error it ended with. */
            result?: string;
            request_id?: string;
            /** @description Where the request came from; `erased:…` after the account was deleted, as `request_id` is `erased`. */
            address?: string;
            /** @description The fields that were given a value; never the values. */
            fields?: string[];
            /** @description Its place in the chain of entries; null until it is sealed, which takes about a minute. */
            place?: number | null;
            /** @description A digest over the entry, its place and the previous digest; null until it is sealed. */
            digest?: string | null;
            /** @description The salt with which the digest covers `address` and `request_id`; null once they are erased. */
            salt?: string | null;
        };
        comment: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
        } & WithRequired<components["schemas"]["comment_selection"], "id" | "post_id" | "user_id" | "content" | "created_at" | "updated_at">;
        comment_create: {
            /**
             * @description The text.
             * @example Just as the loom weaves flowers.
             */
            content: components["schemas"]["text_10000"];
        };
        comment_replace: {
            /**
             * @description The text.
             * @example Just as the loom weaves flowers.
             */
            content: components["schemas"]["text_10000"];
            /** @description The id, made by the server. */
            readonly id?: unknown;
            /** @description The post that it belongs to. */
            post_id?: unknown;
            /** @description Who wrote it. */
            readonly user_id?: unknown;
            /** @description When it was created. */
            readonly created_at?: unknown;
            /** @description When it was last changed. */
            readonly updated_at?: unknown;
        };
        comment_selection: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id?: string;
            /**
             * Format: uuid
             * @description The post that it belongs to.
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
            content?: string;
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
        comment_update: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            readonly id?: string;
            /**
             * Format: uuid
             * @description The post that it belongs to.
             */
            readonly post_id?: string;
            /**
             * Format: uuid
             * @description Who wrote it.
             */
            readonly user_id?: string;
            /**
             * @description The text.
             * @example Just as the loom weaves flowers.
             */
            content?: components["schemas"]["text_10000"];
            /**
             * Format: date-time
             * @description When it was created.
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at?: string;
        };
        comment_with_post_and_author_selection: {
            /** @description With `include`; null when you may not read it. */
            post?: components["schemas"]["post_selection"] | null;
            /** @description With `include`; null when you may not read it. */
            author?: components["schemas"]["user_selection"] | null;
        } & components["schemas"]["comment_selection"];
        comment_with_relations: {
            /** @description With `include`; null when you may not read it. */
            post?: components["schemas"]["post_with_author_and_comments_selection"] | null;
            /** @description With `include`; null when you may not read it. */
            author?: components["schemas"]["user_with_posts_selection"] | null;
        } & WithRequired<components["schemas"]["comment_selection"], "id" | "post_id" | "user_id" | "content" | "created_at" | "updated_at">;
        comment_with_relations_selection: {
            /** @description With `include`; null when you may not read it. */
            post?: components["schemas"]["post_with_author_and_comments_selection"] | null;
            /** @description With `include`; null when you may not read it. */
            author?: components["schemas"]["user_with_posts_selection"] | null;
        } & components["schemas"]["comment_selection"];
        /** Format: date-time */
        date_time: string;
        /** Format: date-time */
        date_time_1q6ejuj: string;
        /** Format: date-time */
        date_time_8192: string;
        /** Format: date-time */
        date_time_8192_m7giwt: string;
        /** Format: email */
        email: string;
        /**
         * @example {
         *       "id": "2051",
         *       "provider": "stripe",
         *       "event_id": "evt_1PqfT2Lkdi8s2Xo0",
         *       "type": "invoice.paid",
         *       "state": "processed",
         *       "reason": null,
         *       "occurred_at": "2026-11-21T08:29:58.000Z",
         *       "received_at": "2026-11-21T08:30:00.120Z",
         *       "repeats": 1,
         *       "body_kept": true,
         *       "actions": [
         *         "admin.events.replay"
         *       ]
         *     }
         */
        event: {
            id: string;
        } & WithRequired<components["schemas"]["event_selection"], "id" | "provider" | "event_id" | "type" | "state" | "reason" | "occurred_at" | "received_at" | "repeats" | "body_kept" | "actions">;
        /**
         * @example {
         *       "id": "2051",
         *       "provider": "stripe",
         *       "event_id": "evt_1PqfT2Lkdi8s2Xo0",
         *       "type": "invoice.paid",
         *       "state": "processed",
         *       "reason": null,
         *       "occurred_at": "2026-11-21T08:29:58.000Z",
         *       "received_at": "2026-11-21T08:30:00.120Z",
         *       "repeats": 1,
         *       "body_kept": true,
         *       "actions": [
         *         "admin.events.replay"
         *       ],
         *       "repeat": {
         *         "by": "id",
         *         "window_seconds": null,
         *         "key": "evt_1PqfT2Lkdi8s2Xo0"
         *       },
         *       "headers": {
         *         "content-type": "application/json; charset=utf-8",
         *         "user-agent": "Stripe/1.0"
         *       },
         *       "query": null,
         *       "left_out": [],
         *       "covered": [
         *         "body",
         *         "timestamp"
         *       ],
         *       "overruled": null,
         *       "metadata": {
         *         "delivery_id": "evt_1PqfT2Lkdi8s2Xo0",
         *         "attempt": null,
         *         "sent_at": "2026-11-21T08:29:59.000Z",
         *         "api_version": "2026-10-29",
         *         "rest": {
         *           "id": "evt_1PqfT2Lkdi8s2Xo0",
         *           "type": "invoice.paid",
         *           "created": 1795249798
         *         }
         *       },
         *       "data": {
         *         "id": "in_1PqfSzLkdi8s2Xo0",
         *         "customer": "cus_9s6XKzkNRiz8i3",
         *         "amount_paid": 4900
         *       },
         *       "payload": {
         *         "id": "evt_1PqfT2Lkdi8s2Xo0",
         *         "type": "invoice.paid",
         *         "created": 1795249798,
         *         "data": {
         *           "object": {
         *             "id": "in_1PqfSzLkdi8s2Xo0",
         *             "customer": "cus_9s6XKzkNRiz8i3",
         *             "amount_paid": 4900
         *           }
         *         }
         *       },
         *       "body_base64": "eyJpZCI6ImV2dF8xUHFmVDJMa2RpOHMyWG8wIn0=",
         *       "masked": false,
         *       "forwards": [],
         *       "jobs": [
         *         {
         *           "id": "4107",
         *           "event_id": "2051",
         *           "provider": "stripe",
         *           "handler": "stripe:invoice.*",
         *           "queue": "default",
         *           "priority": 0,
         *           "order_key": "cus_9s6XKzkNRiz8i3",
         *           "holds_order_key": false,
         *           "state": "done",
         *           "attempt": 2,
         *           "max_attempts": 11,
         *           "losses": 0,
         *           "due_at": "2026-11-21T08:30:04.310Z",
         *           "cancel_at": null,
         *           "last_error": "Error: the mail server answered 451",
         *           "replay_of": null,
         *           "created_at": "2026-11-21T08:30:00.120Z",
         *           "started_at": "2026-11-21T08:30:04.312Z",
         *           "finished_at": "2026-11-21T08:30:04.790Z",
         *           "actions": []
         *         }
         *       ],
         *       "notes": [
         *         {
         *           "id": "019a5e44-6b1f-7d02-9c3e-8a7b6c5d4e3f",
         *           "at": "2026-11-21T09:12:33.804Z",
         *           "author": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
         *           "text": "The mail server was down; told the customer."
         *         }
         *       ]
         *     }
         */
        event_in_full: {
            /** @description On what it was decided, when the event came, which deliveries are repeats of it. */
            repeat: {
                /**
                 * @description An id that the sender's proof covers, an id that it does not cover, the body, or none: then every delivery is an event of its own.
                 * @enum {string}
                 */
                by: "id" | "unsigned_id" | "body" | "none";
                /** @description For how many seconds the same body was a repeat; null for as long as the event is kept. */
                window_seconds: number | null;
                /** @description The text that repeats of the event share. Null if you may not see payloads. */
                key: string | null;
            };
            /** @description The headers that are kept. Only those that `covered` names are signed. */
            headers: {
                [key: string]: string;
            };
            /** @description The query of the sender's URL, without credentials. It is signed if `covered` names `url`. */
            query: string | null;
            /** @description What was not kept because it was too long or too much: `header:<name>`, `query`. */
            left_out: string[];
            /** @description What the sender's proof covers: `body`, `url`, `header:<name>`, `field:<name>`, …; `sender` if only the sender is proved. Empty if the provider is not configured any more. */
            covered: string[];
            /** @description Why it was quarantined, if an operator said that it runs all the same. */
            overruled: string | null;
            /** @description What the sender tells in addition to the data. The signature may not cover it. */
            metadata: {
                /** @description The sender's id of the delivery, or else of the event. */
                delivery_id: string | null;
                /** @description How many times the sender has tried, by its own count. */
                attempt: number | null;
                /** @description When the sender signed it. */
                sent_at: string | null;
                /** @description The version of the sender's API. */
                api_version: string | null;
                /** @description The payload without its data; empty if the whole payload is the data. */
                rest: {
                    [key: string]: unknown;
                };
            };
            /** @description What the event is about: the part of the payload that the sender's scheme names, or all of it. */
            data: unknown;
            /** @description The whole body, if it is JSON or the scheme can read it. */
            payload: unknown;
            /** @description Exactly the bytes that were signed; empty after they were deleted. */
            body_base64: string;
            /** @description True if you may not see payloads: headers, bodies and the answers of targets are left out. */
            masked: boolean;
            /** @description The answers of targets, newest first. */
            forwards: {
                handler: string;
                /** Format: int64 */
                attempt: number;
                /** Format: date-time */
                at: string;
                /** Format: int64 */
                ms: number;
                /** @description The status of the target's answer; null if it did not answer. */
                status: number | null;
                headers: {
                    [key: string]: string;
                };
                /** @description The beginning of the answer. */
                body: string;
                error: string | null;
            }[];
            jobs: components["schemas"]["job"][];
            /** @description What people have noted about it, oldest first. */
            notes: components["schemas"]["event_note"][];
        } & WithRequired<components["schemas"]["event_selection"], "id" | "provider" | "event_id" | "type" | "state" | "reason" | "occurred_at" | "received_at" | "repeats" | "body_kept" | "actions">;
        /**
         * @example {
         *       "id": "019a5e44-6b1f-7d02-9c3e-8a7b6c5d4e3f",
         *       "at": "2026-11-21T09:12:33.804Z",
         *       "author": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
         *       "text": "The mail server was down; told the customer."
         *     }
         */
        event_note: {
            id: string;
            /** Format: date-time */
            at: string;
            /** @description The id of a user, or the name of an operator. */
            author: string;
            text: string;
        };
        /**
         * @example {
         *       "id": "2051",
         *       "provider": "stripe",
         *       "event_id": "evt_1PqfT2Lkdi8s2Xo0",
         *       "type": "invoice.paid",
         *       "state": "processed",
         *       "reason": null,
         *       "occurred_at": "2026-11-21T08:29:58.000Z",
         *       "received_at": "2026-11-21T08:30:00.120Z",
         *       "repeats": 1,
         *       "body_kept": true,
         *       "actions": [
         *         "admin.events.replay"
         *       ]
         *     }
         */
        event_selection: {
            id?: string;
            provider?: string;
            /** @description The sender's own id. */
            event_id?: string | null;
            type?: string | null;
            /** @enum {string} */
            state?: "received" | "processing" | "retrying" | "processed" | "dead" | "cancelled" | "ignored" | "quarantined" | "discarded";
            /** @description Why it was quarantined, ignored or discarded, or in one line the last error of the handler that gave it up or will try it again. Else, if its signed bytes came before under another id that is not signed, that id. */
            reason?: string | null;
            /** @description The sender's own time. */
            occurred_at?: string | null;
            /** Format: date-time */
            received_at?: string;
            /**
             * Format: int64
             * @description How often the sender delivered it again.
             */
            repeats?: number;
            /** @description False once its body and headers were deleted. It can then no longer be replayed. */
            body_kept?: boolean;
            /** @description The ids of the operations that its state and your scopes allow. Each operation decides again when you call it. */
            actions?: string[];
        };
        grant_with_relations: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
        } & WithRequired<components["schemas"]["grant_with_relations_selection"], "id" | "user_id" | "client_id" | "client_name" | "scopes" | "last_used_at" | "expires_at" | "created_at" | "updated_at">;
        grant_with_relations_selection: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id?: string;
            /**
             * Format: uuid
             * @description Who allowed it.
             */
            user_id?: string;
            /**
             * @description The id of the client.
             * @example 019a5e2f-0b3d-7e44-b1a6-64d2f09c8e57
             */
            client_id?: string;
            /**
             * @description The name of the client, as the user saw it.
             * @example Ledger for iOS
             */
            client_name?: string;
            /**
             * @description What the client may do.
             * @example [
             *       "posts:read"
             *     ]
             */
            scopes?: string[];
            /**
             * Format: date-time
             * @description When the client last got tokens.
             */
            last_used_at?: string;
            /**
             * Format: date-time
             * @description When it ends unless the client gets new tokens.
             * @example 2026-12-05T08:30:00.000Z
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
            user?: components["schemas"]["user_with_posts_selection"] | null;
        };
        invited_user: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
            /**
             * @description The name of the user.
             * @example Ada Lovelace
             */
            name: string;
            /**
             * Format: email
             * @description The address to sign in with, unique; kept in lower case.
             */
            email: string;
            /**
             * @description The address that was verified last. While it is `email`, the address is verified.
             * @example ada@example.com
             */
            verified_email: string | null;
            /** @description The time since which sign-ins need a second factor; null if the password is enough. */
            second_factor_at: string | null;
            /**
             * @description A telephone number.
             * @example +44 20 7946 0000
             */
            phone: string | null;
            /**
             * @description A postal address.
             * @example 12 St James's Square, London
             */
            address: string | null;
            /**
             * @description Settings of the user's own choosing.
             * @example {
             *       "theme": "dark"
             *     }
             */
            preferences: {
                [key: string]: unknown;
            };
            /**
             * @deprecated
             * @description The state of the user's subscription.
             * @enum {string}
             */
            subscription_status: "none" | "trialing" | "active" | "past_due" | "canceled";
            /**
             * @description What the user may do.
             * @enum {string}
             */
            role: "user" | "viewer" | "operator" | "admin";
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /**
             * @description Where no mail server is set: the link with which the new user chooses a password, once, within seven days. Give it to them; it is not shown again. It is a path if the server does not know its own address. Null if it is on its way by mail.
             * @example https://api.example.com/api/account#invite=act_2TkqKQ0TtQzE6Rb0ZbXG4v_7RcTzT0yWc1hE5mH0oQ3aL
             */
            link: string | null;
        };
        /**
         * @example {
         *       "id": "4107",
         *       "event_id": "2051",
         *       "provider": "stripe",
         *       "handler": "stripe:invoice.*",
         *       "queue": "default",
         *       "priority": 0,
         *       "order_key": "cus_9s6XKzkNRiz8i3",
         *       "holds_order_key": false,
         *       "state": "done",
         *       "attempt": 2,
         *       "max_attempts": 11,
         *       "losses": 0,
         *       "due_at": "2026-11-21T08:30:04.310Z",
         *       "cancel_at": null,
         *       "last_error": "Error: the mail server answered 451",
         *       "replay_of": null,
         *       "created_at": "2026-11-21T08:30:00.120Z",
         *       "started_at": "2026-11-21T08:30:04.312Z",
         *       "finished_at": "2026-11-21T08:30:04.790Z",
         *       "actions": []
         *     }
         */
        job: {
            id: string;
        } & WithRequired<components["schemas"]["job_selection"], "id" | "event_id" | "provider" | "handler" | "queue" | "priority" | "order_key" | "holds_order_key" | "state" | "attempt" | "max_attempts" | "losses" | "due_at" | "cancel_at" | "last_error" | "replay_of" | "created_at" | "started_at" | "finished_at" | "actions">;
        /**
         * @example {
         *       "id": "4107",
         *       "event_id": "2051",
         *       "provider": "stripe",
         *       "handler": "stripe:invoice.*",
         *       "queue": "default",
         *       "priority": 0,
         *       "order_key": "cus_9s6XKzkNRiz8i3",
         *       "holds_order_key": false,
         *       "state": "done",
         *       "attempt": 2,
         *       "max_attempts": 11,
         *       "losses": 0,
         *       "due_at": "2026-11-21T08:30:04.310Z",
         *       "cancel_at": null,
         *       "last_error": "Error: the mail server answered 451",
         *       "replay_of": null,
         *       "created_at": "2026-11-21T08:30:00.120Z",
         *       "started_at": "2026-11-21T08:30:04.312Z",
         *       "finished_at": "2026-11-21T08:30:04.790Z",
         *       "actions": [],
         *       "failures": [
         *         {
         *           "attempt": 1,
         *           "at": "2026-11-21T08:30:00.391Z",
         *           "error": "Error: the mail server answered 451",
         *           "after_commit": false,
         *           "log": [
         *             {
         *               "at": "2026-11-21T08:30:00.377Z",
         *               "level": "info",
         *               "message": "sending the receipt",
         *               "fields": {
         *                 "invoice": "in_1PqfT2Lkdi8s2Xo0"
         *               }
         *             }
         *           ]
         *         }
         *       ]
         *     }
         */
        job_in_full: {
            /** @description The newest 100, oldest first. */
            failures: {
                /** Format: int64 */
                attempt: number;
                /** Format: date-time */
                at: string;
                /** @description The error, and below it the first 20 lines of its stack. */
                error: string;
                /** @description True if the handler failed after it had committed: the job is done, and does not run again. */
                after_commit: boolean;
                /** @description What the handler logged in this attempt, oldest first: the last 50 lines, up to 8 KiB. */
                log: {
                    /** Format: date-time */
                    at: string;
                    /** @enum {string} */
                    level: "debug" | "info" | "warn" | "error";
                    message: string;
                    fields: {
                        [key: string]: string | number | boolean | null;
                    };
                }[];
            }[];
        } & WithRequired<components["schemas"]["job_selection"], "id" | "event_id" | "provider" | "handler" | "queue" | "priority" | "order_key" | "holds_order_key" | "state" | "attempt" | "max_attempts" | "losses" | "due_at" | "cancel_at" | "last_error" | "replay_of" | "created_at" | "started_at" | "finished_at" | "actions">;
        /**
         * @example {
         *       "id": "4107",
         *       "event_id": "2051",
         *       "provider": "stripe",
         *       "handler": "stripe:invoice.*",
         *       "queue": "default",
         *       "priority": 0,
         *       "order_key": "cus_9s6XKzkNRiz8i3",
         *       "holds_order_key": false,
         *       "state": "done",
         *       "attempt": 2,
         *       "max_attempts": 11,
         *       "losses": 0,
         *       "due_at": "2026-11-21T08:30:04.310Z",
         *       "cancel_at": null,
         *       "last_error": "Error: the mail server answered 451",
         *       "replay_of": null,
         *       "created_at": "2026-11-21T08:30:00.120Z",
         *       "started_at": "2026-11-21T08:30:04.312Z",
         *       "finished_at": "2026-11-21T08:30:04.790Z",
         *       "actions": []
         *     }
         */
        job_selection: {
            id?: string;
            /** @description The event that it is about, by its id here. */
            event_id?: string | null;
            /** @description The sender of the event. */
            provider?: string | null;
            handler?: string;
            queue?: string;
            /**
             * Format: int64
             * @description Smaller first.
             */
            priority?: number;
            /** @description Jobs of one key run one at a time, in the order in which they were stored. */
            order_key?: string | null;
            /** @description True if it is dead and the other jobs of its order key wait until somebody runs it again or cancels it. */
            holds_order_key?: boolean;
            /** @enum {string} */
            state?: "ready" | "scheduled" | "running" | "blocked" | "done" | "dead" | "cancelled";
            /** Format: int64 */
            attempt?: number;
            /** Format: int64 */
            max_attempts?: number;
            /**
             * Format: int64
             * @description How often its runner died while it ran.
             */
            losses?: number;
            due_at?: string | null;
            /** @description When somebody asked to cancel it while it was running. */
            cancel_at?: string | null;
            last_error?: string | null;
            replay_of?: string | null;
            /** Format: date-time */
            created_at?: string;
            started_at?: string | null;
            finished_at?: string | null;
            /** @description The ids of the operations that its state and your scopes allow. Each operation decides again when you call it. */
            actions?: string[];
        };
        /**
         * @example {
         *       "id": "019a5e2f-0b3d-7e44-b1a6-64d2f09c8e57",
         *       "name": "Nightly report",
         *       "kind": "confidential",
         *       "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
         *       "scopes": [
         *         "posts:read"
         *       ],
         *       "redirect_uris": [],
         *       "grant_types": [
         *         "client_credentials"
         *       ],
         *       "jwks": null,
         *       "last_used_at": "2026-11-21T02:00:00.000Z",
         *       "created_at": "2026-11-20T15:12:45.000Z"
         *     }
         */
        oauth_client: {
            /**
             * Format: uuid
             * @description The `client_id` of OAuth 2.
             */
            id: string;
            name: string;
            /** @enum {string} */
            kind: "confidential" | "public";
            /**
             * Format: uuid
             * @description The account that it acts for with client credentials.
             */
            user_id: string;
            scopes: string[];
            redirect_uris: string[];
            /** @description How it may get tokens at `/oauth/token`. */
            grant_types: ("authorization_code" | "client_credentials" | "refresh_token")[];
            /** @description Its public keys, if it proves itself with assertions (`private_key_jwt`); null if it has none. */
            jwks: components["schemas"]["oauth_client_keys"] | null;
            /** @description When it last got a token, to the minute; null if it never did. */
            last_used_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        /**
         * @description Public keys whose private halves only the client has (RFC 7523, `private_key_jwt`).
         * @example {
         *       "keys": [
         *         {
         *           "kty": "OKP",
         *           "crv": "Ed25519",
         *           "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
         *           "kid": "2026-11"
         *         }
         *       ]
         *     }
         */
        oauth_client_keys: {
            keys: ({
                kty: string;
                kid?: string;
            } & {
                [key: string]: unknown;
            })[];
        };
        /**
         * @example {
         *       "id": "019a5e2f-0b3d-7e44-b1a6-64d2f09c8e57",
         *       "name": "Nightly report",
         *       "kind": "confidential",
         *       "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
         *       "scopes": [
         *         "posts:read"
         *       ],
         *       "redirect_uris": [],
         *       "grant_types": [
         *         "client_credentials"
         *       ],
         *       "jwks": null,
         *       "last_used_at": null,
         *       "created_at": "2026-11-20T15:12:45.000Z",
         *       "secret": "pcs_7b1f0c9e4d6a58327b1f0c9e4d6a58327b1f0c9e4d6a58327b1f0c9e4d6a5832"
         *     }
         */
        oauth_client_with_secret: {
            /**
             * Format: uuid
             * @description The `client_id` of OAuth 2.
             */
            id: string;
            name: string;
            /** @enum {string} */
            kind: "confidential" | "public";
            /**
             * Format: uuid
             * @description The account that it acts for with client credentials.
             */
            user_id: string;
            scopes: string[];
            redirect_uris: string[];
            /** @description How it may get tokens at `/oauth/token`. */
            grant_types: ("authorization_code" | "client_credentials" | "refresh_token")[];
            /** @description Its public keys, if it proves itself with assertions (`private_key_jwt`); null if it has none. */
            jwks: components["schemas"]["oauth_client_keys"] | null;
            /** @description When it last got a token, to the minute; null if it never did. */
            last_used_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description The secret itself. It is shown this once and never again; null for a public client and for one with keys. */
            secret: string | null;
        };
        outside_identity: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
            /**
             * Format: uuid
             * @description The user whose account is linked.
             */
            user_id: string;
            /**
             * @description The issuer of its tokens.
             * @example https://id.example.com
             */
            issuer: string;
            /**
             * @description The issuer's name for the account.
             * @example 248289761001
             */
            subject: string;
            /**
             * @description The client that acts for it, if it is a program; null for the account of a person.
             * @example 019a5e2f-0b3d-7e44-b1a6-64d2f09c8e57
             */
            client_id: string | null;
            /**
             * @description `linked`: its tokens act for the user; `ended`: they are refused, and the link is not made anew.
             * @enum {string}
             */
            state: "linked" | "ended";
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        outside_identity_with_relations: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
        } & WithRequired<components["schemas"]["outside_identity_with_relations_selection"], "id" | "user_id" | "issuer" | "subject" | "client_id" | "state" | "created_at" | "updated_at">;
        outside_identity_with_relations_selection: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id?: string;
            /**
             * Format: uuid
             * @description The user whose account is linked.
             */
            user_id?: string;
            /**
             * @description The issuer of its tokens.
             * @example https://id.example.com
             */
            issuer?: string;
            /**
             * @description The issuer's name for the account.
             * @example 248289761001
             */
            subject?: string;
            /**
             * @description The client that acts for it, if it is a program; null for the account of a person.
             * @example 019a5e2f-0b3d-7e44-b1a6-64d2f09c8e57
             */
            client_id?: string | null;
            /**
             * @description `linked`: its tokens act for the user; `ended`: they are refused, and the link is not made anew.
             * @enum {string}
             */
            state?: "linked" | "ended";
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
            user?: components["schemas"]["user_with_posts_selection"] | null;
        };
        /**
         * @example {
         *       "limit": 20,
         *       "has_more": true,
         *       "next_cursor": "9rjq4JZmTmGf3H0mCq1c2A",
         *       "prev_cursor": null
         *     }
         */
        page: {
            /** Format: int32 */
            limit: number;
            /** @description Whether there is a next page. */
            has_more: boolean;
            next_cursor: string | null;
            prev_cursor: string | null;
        };
        /**
         * @example {
         *       "id": "019a5e41-0d2c-7b31-9a4e-5f6c7d8e9fa0",
         *       "action": "replay",
         *       "state": "running",
         *       "filter": {
         *         "state": "dead",
         *         "provider": null,
         *         "type": null,
         *         "cause": "hT3kQv90ZrLm",
         *         "received_since": null,
         *         "received_before": "2026-11-21T09:02:11.001Z",
         *         "text": null
         *       },
         *       "jobs": null,
         *       "reason": null,
         *       "made_by": {
         *         "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
         *         "name": "Grace Hopper"
         *       },
         *       "force": false,
         *       "per_second": 20,
         *       "created_at": "2026-11-21T09:02:11.000Z",
         *       "started_at": "2026-11-21T09:02:40.517Z",
         *       "ended_at": null,
         *       "dry_run": {
         *         "looked_at": 10000,
         *         "complete": false,
         *         "matched": 10000,
         *         "done": 9988,
         *         "handlers": [
         *           {
         *             "handler": "stripe:invoice.*",
         *             "jobs": 9988
         *           }
         *         ],
         *         "order_key_waits": 4211,
         *         "skipped": [
         *           {
         *             "reason": "its body is kept no longer",
         *             "events": 12
         *           }
         *         ]
         *       },
         *       "report": {
         *         "looked_at": 6160,
         *         "done": 6150,
         *         "jobs": 6150,
         *         "failed": 0,
         *         "skipped": [
         *           {
         *             "reason": "its body is kept no longer",
         *             "events": 10
         *           }
         *         ]
         *       }
         *     }
         */
        plan: {
            id: string;
        } & WithRequired<components["schemas"]["plan_selection"], "id" | "action" | "state" | "filter" | "jobs" | "reason" | "made_by" | "force" | "per_second" | "created_at" | "started_at" | "ended_at" | "dry_run" | "report">;
        /**
         * @example {
         *       "id": "019a5e41-0d2c-7b31-9a4e-5f6c7d8e9fa0",
         *       "action": "replay",
         *       "state": "running",
         *       "filter": {
         *         "state": "dead",
         *         "provider": null,
         *         "type": null,
         *         "cause": "hT3kQv90ZrLm",
         *         "received_since": null,
         *         "received_before": "2026-11-21T09:02:11.001Z",
         *         "text": null
         *       },
         *       "jobs": null,
         *       "reason": null,
         *       "made_by": {
         *         "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
         *         "name": "Grace Hopper"
         *       },
         *       "force": false,
         *       "per_second": 20,
         *       "created_at": "2026-11-21T09:02:11.000Z",
         *       "started_at": "2026-11-21T09:02:40.517Z",
         *       "ended_at": null,
         *       "dry_run": {
         *         "looked_at": 10000,
         *         "complete": false,
         *         "matched": 10000,
         *         "done": 9988,
         *         "handlers": [
         *           {
         *             "handler": "stripe:invoice.*",
         *             "jobs": 9988
         *           }
         *         ],
         *         "order_key_waits": 4211,
         *         "skipped": [
         *           {
         *             "reason": "its body is kept no longer",
         *             "events": 12
         *           }
         *         ]
         *       },
         *       "report": {
         *         "looked_at": 6160,
         *         "done": 6150,
         *         "jobs": 6150,
         *         "failed": 0,
         *         "skipped": [
         *           {
         *             "reason": "its body is kept no longer",
         *             "events": 10
         *           }
         *         ]
         *       },
         *       "remaining": 5480
         *     }
         */
        plan_in_full: {
            /**
             * Format: int64
             * @description How many that fit the filter are still to be looked at, counted up to 10,000. None once it has ended.
             */
            remaining: number;
        } & WithRequired<components["schemas"]["plan_selection"], "id" | "action" | "state" | "filter" | "jobs" | "reason" | "made_by" | "force" | "per_second" | "created_at" | "started_at" | "ended_at" | "dry_run" | "report">;
        /**
         * @example {
         *       "id": "019a5e41-0d2c-7b31-9a4e-5f6c7d8e9fa0",
         *       "action": "replay",
         *       "state": "running",
         *       "filter": {
         *         "state": "dead",
         *         "provider": null,
         *         "type": null,
         *         "cause": "hT3kQv90ZrLm",
         *         "received_since": null,
         *         "received_before": "2026-11-21T09:02:11.001Z",
         *         "text": null
         *       },
         *       "jobs": null,
         *       "reason": null,
         *       "made_by": {
         *         "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
         *         "name": "Grace Hopper"
         *       },
         *       "force": false,
         *       "per_second": 20,
         *       "created_at": "2026-11-21T09:02:11.000Z",
         *       "started_at": "2026-11-21T09:02:40.517Z",
         *       "ended_at": null,
         *       "dry_run": {
         *         "looked_at": 10000,
         *         "complete": false,
         *         "matched": 10000,
         *         "done": 9988,
         *         "handlers": [
         *           {
         *             "handler": "stripe:invoice.*",
         *             "jobs": 9988
         *           }
         *         ],
         *         "order_key_waits": 4211,
         *         "skipped": [
         *           {
         *             "reason": "its body is kept no longer",
         *             "events": 12
         *           }
         *         ]
         *       },
         *       "report": {
         *         "looked_at": 6160,
         *         "done": 6150,
         *         "jobs": 6150,
         *         "failed": 0,
         *         "skipped": [
         *           {
         *             "reason": "its body is kept no longer",
         *             "events": 10
         *           }
         *         ]
         *       }
         *     }
         */
        plan_selection: {
            id?: string;
            /** @enum {string} */
            action?: "replay" | "discard" | "retry" | "cancel";
            /** @enum {string} */
            state?: "planned" | "running" | "paused" | "done" | "cancelled";
            filter?: {
                state: ("received" | "processing" | "retrying" | "processed" | "dead" | "cancelled" | "ignored" | "quarantined" | "discarded") | null;
                provider: string | null;
                type: string | null;
                cause: string | null;
                received_since: string | null;
                received_before: string | null;
                text: string | null;
            };
            /** @description Which jobs it is about; null for a plan about events. */
            jobs?: {
                state: ("ready" | "scheduled" | "running" | "blocked" | "done" | "dead" | "cancelled") | null;
                handler: string | null;
                queue: string | null;
                provider: string | null;
                cause: string | null;
                created_since: string | null;
                created_before: string | null;
            } | null;
            reason?: string | null;
            /** @description Who made it; null if that was not kept. */
            made_by?: {
                /** @description The id of a user, or the name of an operator. */
                id: string;
                /** @description The user's name, while there is one. */
                name: string | null;
            } | null;
            force?: boolean;
            per_second?: number;
            /** Format: date-time */
            created_at?: string;
            started_at?: string | null;
            ended_at?: string | null;
            /** @description What it would do, as it was when it was made. */
            dry_run?: {
                /**
                 * Format: int64
                 * @description How many that fit the filter were looked at, oldest first.
                 */
                looked_at: number;
                /** @description Whether these were all. A dry run ends after 10,000 events or jobs, or 2 seconds. */
                complete: boolean;
                /**
                 * Format: int64
                 * @description How many of them the plan is about: those that contain the text.
                 */
                matched: number;
                /**
                 * Format: int64
                 * @description How many would run again, be discarded or be cancelled.
                 */
                done: number;
                /** @description The handlers that would run, or whose jobs would be cancelled; most jobs first. */
                handlers: {
                    handler: string;
                    /** Format: int64 */
                    jobs: number;
                }[];
                /**
                 * Format: int64
                 * @description How many jobs would wait for an earlier one of the plan, because both have the same order key.
                 */
                order_key_waits: number;
                /** @description Events or jobs that are left as they are, and why; most first. */
                skipped: {
                    reason: string;
                    /** Format: int64 */
                    events: number;
                }[];
            };
            /** @description What it has done. */
            report?: {
                /** Format: int64 */
                looked_at: number;
                /**
                 * Format: int64
                 * @description Events or jobs that run again, were discarded or were cancelled.
                 */
                done: number;
                /**
                 * Format: int64
                 * @description Jobs that were made.
                 */
                jobs: number;
                /**
                 * Format: int64
                 * @description Events for which an error came before a job could be made, for example because their sender cannot be used. The log has it. An event whose handler fails again is `done` here, and dead again.
                 */
                failed: number;
                /** @description Events or jobs that are left as they are, and why; most first. */
                skipped: {
                    reason: string;
                    /** Format: int64 */
                    events: number;
                }[];
            };
        };
        post: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
        } & WithRequired<components["schemas"]["post_selection"], "id" | "user_id" | "title" | "content" | "status" | "published_at" | "created_at" | "updated_at">;
        post_create: {
            /**
             * @description The headline.
             * @example On the Analytical Engine
             */
            title: components["schemas"]["text_200"];
            /**
             * @description The text.
             * @example It weaves algebraic patterns.
             */
            content: components["schemas"]["text_100000"];
            /**
             * @description A draft and an archived post are seen by their author only. Default: `draft`.
             * @example published
             * @enum {string}
             */
            status?: "draft" | "published" | "archived";
        };
        post_create_own: {
            /**
             * @description The headline.
             * @example On the Analytical Engine
             */
            title: components["schemas"]["text_200"];
            /**
             * @description The text.
             * @example It weaves algebraic patterns.
             */
            content: components["schemas"]["text_100000"];
            /**
             * @description A draft and an archived post are seen by their author only. Default: `draft`.
             * @example published
             * @enum {string}
             */
            status?: "draft" | "published" | "archived";
            /** @description Who wrote it. */
            user_id?: components["schemas"]["uuid"];
        };
        post_replace: {
            /**
             * @description The headline.
             * @example On the Analytical Engine
             */
            title: components["schemas"]["text_200"];
            /**
             * @description The text.
             * @example It weaves algebraic patterns.
             */
            content: components["schemas"]["text_100000"];
            /**
             * @description A draft and an archived post are seen by their author only. Default: `draft`.
             * @example published
             * @enum {string}
             */
            status?: "draft" | "published" | "archived";
            /** @description The id, made by the server. */
            readonly id?: unknown;
            /** @description Who wrote it. */
            user_id?: unknown;
            /** @description When it was first published. */
            readonly published_at?: unknown;
            /** @description When it was created. */
            readonly created_at?: unknown;
            /** @description When it was last changed. */
            readonly updated_at?: unknown;
        };
        post_selection: {
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
            content?: string;
            /**
             * @description A draft and an archived post are seen by their author only.
             * @example published
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
        post_update: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            readonly id?: string;
            /**
             * Format: uuid
             * @description Who wrote it.
             */
            readonly user_id?: string;
            /**
             * @description The headline.
             * @example On the Analytical Engine
             */
            title?: components["schemas"]["text_200"];
            /**
             * @description The text.
             * @example It weaves algebraic patterns.
             */
            content?: components["schemas"]["text_100000"];
            /**
             * @description A draft and an archived post are seen by their author only.
             * @example published
             * @enum {string}
             */
            status?: "draft" | "published" | "archived";
            /** @description When it was first published. */
            readonly published_at?: components["schemas"]["date_time"] | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at?: string;
        };
        post_with_author_and_comments_selection: {
            /** @description With `include`; null when you may not read it. */
            author?: components["schemas"]["user_selection"] | null;
            /** @description With `include`: the first 20 that you may read. */
            comments?: {
                data: components["schemas"]["comment_selection"][];
                page: components["schemas"]["page"];
                /** @description The list itself. */
                link: string;
            };
        } & components["schemas"]["post_selection"];
        post_with_author_selection: {
            /** @description With `include`; null when you may not read it. */
            author?: components["schemas"]["user_selection"] | null;
        } & components["schemas"]["post_selection"];
        post_with_relations: {
            /** @description With `include`; null when you may not read it. */
            author?: components["schemas"]["user_with_posts_selection"] | null;
            /** @description With `include`: the first 20 that you may read. */
            comments?: {
                data: components["schemas"]["comment_with_post_and_author_selection"][];
                page: components["schemas"]["page"];
                /** @description The list itself. */
                link: string;
            };
        } & WithRequired<components["schemas"]["post_selection"], "id" | "user_id" | "title" | "content" | "status" | "published_at" | "created_at" | "updated_at">;
        post_with_relations_selection: {
            /** @description With `include`; null when you may not read it. */
            author?: components["schemas"]["user_with_posts_selection"] | null;
            /** @description With `include`: the first 20 that you may read. */
            comments?: {
                data: components["schemas"]["comment_with_post_and_author_selection"][];
                page: components["schemas"]["page"];
                /** @description The list itself. */
                link: string;
            };
        } & components["schemas"]["post_selection"];
        /**
         * @example {
         *       "type": "/api/problems/precondition_failed",
         *       "title": "The resource has changed",
         *       "status": 412,
         *       "instance": "/api/v2/posts/019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
         *       "code": "precondition_failed",
         *       "request_id": "3f1d9a52-8c0e-4a53-9a57-0f5b7d9c2e11"
         *     }
         */
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
            /** @description Stable: programs can rely on it. */
            code: components["schemas"]["text_64_zigrwk"];
            request_id: components["schemas"]["text_128"];
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
                code: components["schemas"]["text_64_zigrwk"];
                detail: string;
            }[];
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "name": "acme",
         *       "scheme": "standard-webhooks",
         *       "title": "Standard Webhooks",
         *       "source": "stored",
         *       "path": "/api/webhooks/acme",
         *       "tolerance_seconds": 300,
         *       "allow_short": false,
         *       "dedupe": null,
         *       "headers": [],
         *       "replay_on_resend": false,
         *       "keep_refused_bodies": false,
         *       "jwks_url": null,
         *       "settings": [],
         *       "last_event_at": "2026-11-21T08:30:00.120Z",
         *       "schema_types": [
         *         "invoice.*"
         *       ],
         *       "keys": [
         *         {
         *           "id": "019a5e31-4c7a-7b60-9e2d-8f1a3b5c7d9e",
         *           "key_id": null,
         *           "state": "good",
         *           "not_before": "2026-11-21T08:30:00.000Z",
         *           "not_after": null
         *         }
         *       ]
         *     }
         */
        provider: {
            name: string;
        } & WithRequired<components["schemas"]["provider_selection"], "name" | "scheme" | "title" | "source" | "path" | "tolerance_seconds" | "allow_short" | "dedupe" | "headers" | "replay_on_resend" | "keep_refused_bodies" | "jwks_url" | "settings" | "last_event_at" | "schema_types" | "keys">;
        provider_selection: {
            name?: string;
            scheme?: string;
            /** @description The sender's name as it writes it. */
            title?: string;
            /**
             * @description Where the provider comes from. You can change providers of the configuration only there.
             * @enum {string}
             */
            source?: "configuration" | "stored";
            /** @description The path to which it delivers. */
            path?: string;
            tolerance_seconds?: number | null;
            /** @description Whether secrets under 16 bytes are accepted; null for providers of the configuration. */
            allow_short?: boolean | null;
            /** @description What makes a delivery a repeat; null if the scheme decides, and for providers of the configuration. */
            dedupe?: ({
                /** @constant */
                by: "id";
                /** @description The place of the id. Default: where the scheme has it. */
                id?: string;
            } | {
                /** @constant */
                by: "body";
                /**
                 * Format: int32
                 * @description For how long the same body is a repeat. Default: the scheme's window, or a day.
                 */
                window_seconds?: number;
                /** @description What the sender changes when it tries again. Default: what the scheme says. */
                without?: string[];
            } | {
                /** @constant */
                by: "none";
            }) | null;
            /** @description Headers that are kept with its events beside those of its scheme: lower-case names, or beginnings with `*` behind them. A signature or secret is never kept, and neither are `authorization`, `proxy-authorization` and `cookie`. */
            headers?: string[];
            /** @description Whether a dead event runs again when its sender sends it again. */
            replay_on_resend?: boolean;
            /** @description Whether bodies of refused deliveries are kept, up to 64 KiB and for a day. */
            keep_refused_bodies?: boolean;
            jwks_url?: string | null;
            /** @description The names of the settings that have a value; values are never shown. */
            settings?: string[];
            /** @description When its newest stored event was received. */
            last_event_at?: string | null;
            /** @description The types whose payloads are checked. */
            schema_types?: string[];
            /** @description Never the keys themselves. Keys of the configuration are not listed. */
            keys?: {
                id: string;
                /** @description The sender's name for the key. */
                key_id: string | null;
                /** @enum {string} */
                state: "waiting" | "good" | "ended";
                /** Format: date-time */
                not_before: string;
                not_after: string | null;
            }[];
        };
        /**
         * @example {
         *       "id": "019a5e3c-2f81-7a64-8b1d-3c5e7f9a1b2c",
         *       "provider": "stripe",
         *       "reason": "signature_mismatch",
         *       "message": "No signature is right: another endpoint's key, or a body that was parsed.",
         *       "hint": "The key is right: the signature fits the body as JSON without spaces, so a proxy or a parser changed the request. Pass on what arrived, unchanged.",
         *       "refused_at": "2026-11-21T08:30:02.118Z",
         *       "request_id": "7c2e9d14-5b3a-4f68-8e21-6a0d4c9b7f35",
         *       "address": "192.0.2.44",
         *       "bytes": 1482,
         *       "unkept": 0,
         *       "body_kept": true
         *     }
         */
        refusal: {
            id: string;
        } & WithRequired<components["schemas"]["refusal_selection"], "id" | "provider" | "reason" | "message" | "hint" | "refused_at" | "request_id" | "address" | "bytes" | "unkept" | "body_kept">;
        /**
         * @example {
         *       "id": "019a5e3c-2f81-7a64-8b1d-3c5e7f9a1b2c",
         *       "provider": "stripe",
         *       "reason": "signature_mismatch",
         *       "message": "No signature is right: another endpoint's key, or a body that was parsed.",
         *       "hint": "The key is right: the signature fits the body as JSON without spaces, so a proxy or a parser changed the request. Pass on what arrived, unchanged.",
         *       "refused_at": "2026-11-21T08:30:02.118Z",
         *       "request_id": "7c2e9d14-5b3a-4f68-8e21-6a0d4c9b7f35",
         *       "address": "192.0.2.44",
         *       "bytes": 1482,
         *       "unkept": 0,
         *       "body_kept": true,
         *       "trace": {
         *         "scheme": "stripe",
         *         "valid": false,
         *         "code": "signature_mismatch",
         *         "message": "No signature is right: another endpoint's key, or a body that was parsed.",
         *         "hint": "The key is right: the signature fits the body as JSON without spaces, so a proxy or a parser changed the request. Pass on what arrived, unchanged.",
         *         "headers": [
         *           {
         *             "name": "stripe-signature",
         *             "length": 142,
         *             "value": null
         *           }
         *         ],
         *         "signatures": 1,
         *         "covered": [
         *           "timestamp",
         *           "body",
         *           "id",
         *           "type"
         *         ],
         *         "content": "{timestamp}.{body}",
         *         "signed": {
         *           "bytes": 1493,
         *           "sha256": "9f2c54c7d3a8e1b06f7a92de4c1b8a35f06d7e2c9b41a0835d6ef7a1c2b3d4e1"
         *         },
         *         "body": {
         *           "bytes": 1482,
         *           "sha256": "2b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfe"
         *         },
         *         "keys": {
         *           "tried": 2,
         *           "named": null,
         *           "matched": null,
         *           "id": null
         *         },
         *         "time": {
         *           "signed_at": "2026-11-21T08:29:58.000Z",
         *           "skew_seconds": 4,
         *           "tolerance_seconds": 300
         *         },
         *         "repeat": null
         *       },
         *       "body_base64": "eyJpZCI6ImV2dF8xIn0K",
         *       "masked": false
         *     }
         */
        refusal_in_full: {
            trace: components["schemas"]["verification_trace"];
            /** @description Up to 64 KiB of its body, if `keep_refused_bodies` of the provider is set; else empty. Nobody has proved what is in it. */
            body_base64: string;
            /** @description True if you may not see payloads: address, values of headers and body are left out. */
            masked: boolean;
        } & WithRequired<components["schemas"]["refusal_selection"], "id" | "provider" | "reason" | "message" | "hint" | "refused_at" | "request_id" | "address" | "bytes" | "unkept" | "body_kept">;
        /**
         * @example {
         *       "id": "019a5e3c-2f81-7a64-8b1d-3c5e7f9a1b2c",
         *       "provider": "stripe",
         *       "reason": "signature_mismatch",
         *       "message": "No signature is right: another endpoint's key, or a body that was parsed.",
         *       "hint": "The key is right: the signature fits the body as JSON without spaces, so a proxy or a parser changed the request. Pass on what arrived, unchanged.",
         *       "refused_at": "2026-11-21T08:30:02.118Z",
         *       "request_id": "7c2e9d14-5b3a-4f68-8e21-6a0d4c9b7f35",
         *       "address": "192.0.2.44",
         *       "bytes": 1482,
         *       "unkept": 0,
         *       "body_kept": true
         *     }
         */
        refusal_selection: {
            id?: string;
            provider?: string;
            /** @description A code of the verifier: `signature_mismatch`, `timestamp_too_old`. */
            reason?: string;
            message?: string | null;
            /** @description What to do about it, in a sentence or two. */
            hint?: string | null;
            /** Format: date-time */
            refused_at?: string;
            request_id?: string;
            /** @description Where it came from; null if that is not known or masked. */
            address?: string | null;
            /**
             * Format: int64
             * @description How long its body was.
             */
            bytes?: number;
            /**
             * Format: int64
             * @description How many of this provider that were refused for this reason before it were not kept.
             */
            unkept?: number;
            body_kept?: boolean;
        };
        /**
         * @example {
         *       "name": "report",
         *       "cron": "0 3 * * *",
         *       "time_zone": "Europe/Berlin",
         *       "words": "every day at 03:00 (Europe/Berlin)",
         *       "missed": "last",
         *       "queue": "default",
         *       "paused": false,
         *       "paused_at": null,
         *       "note": null,
         *       "next_times": [
         *         "2026-11-22T02:00:00.000Z",
         *         "2026-11-23T02:00:00.000Z",
         *         "2026-11-24T02:00:00.000Z"
         *       ],
         *       "last_at": "2026-11-21T02:00:00.000Z",
         *       "last_job": {
         *         "id": "4711",
         *         "state": "done",
         *         "started_at": "2026-11-21T02:00:00.212Z",
         *         "finished_at": "2026-11-21T02:00:04.318Z"
         *       }
         *     }
         */
        schedule: {
            name: string;
            /** @description Five fields, or a name such as `@daily`. */
            cron: string;
            time_zone: string;
            /** @description Its times in words, for people. */
            words: string;
            /**
             * @description Which of the times run that passed while no process ran. None that passed in a pause does.
             * @enum {string}
             */
            missed: "skip" | "last" | "all";
            queue: string;
            paused: boolean;
            paused_at: string | null;
            /** @description Why it is paused. */
            note: string | null;
            /** @description Its next three times; none while it is paused. */
            next_times: string[];
            /** @description Its newest time that has run or is to run. */
            last_at: string | null;
            /** @description Its newest job, of one of its times or run by hand, while that is kept. */
            last_job: {
                id: string;
                /** @enum {string} */
                state: "ready" | "scheduled" | "running" | "blocked" | "done" | "dead" | "cancelled";
                started_at: string | null;
                finished_at: string | null;
            } | null;
        };
        session_with_relations: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
        } & WithRequired<components["schemas"]["session_with_relations_selection"], "id" | "user_id" | "last_used_at" | "device" | "address" | "expires_at" | "created_at" | "updated_at">;
        session_with_relations_selection: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id?: string;
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
             * @description The program that used it last, as it names itself.
             * @example Firefox on Linux
             */
            device?: string | null;
            /**
             * @description The network address that used it last.
             * @example 192.0.2.7
             */
            address?: string | null;
            /**
             * Format: date-time
             * @description When it ends unless it is refreshed.
             * @example 2026-12-05T08:30:00.000Z
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
            user?: components["schemas"]["user_with_posts_selection"] | null;
        };
        /**
         * @example {
         *       "name": "POSTERN_JOBS",
         *       "value": 20,
         *       "secret": false,
         *       "origin": "environment",
         *       "variable": "POSTERN_JOBS"
         *     }
         */
        setting: {
            /** @description A variable, or a member of the configuration file such as `limits.sessionSeconds`. */
            name: string;
            /** @description Null if it is not set and its default is decided elsewhere. Of a secret only `set` or `not set`. */
            value: unknown;
            secret: boolean;
            /**
             * @description What sets it: an option of the command line, the environment, the configuration file, or nothing.
             * @enum {string}
             */
            origin: "option" | "environment" | "file" | "default";
            /** @description The variable of the environment that sets it: its name, or the name with `_FILE`. */
            variable: string | null;
        };
        /**
         * @example {
         *       "kid": "fJ3pQ9sVb2LxT0aY",
         *       "state": "active",
         *       "created_at": "2026-10-22T08:30:00.000Z",
         *       "active_from": "2026-11-21T08:30:00.000Z",
         *       "ends_at": null
         *     }
         */
        signing_key: {
            /** @description The name by which tokens refer to it. */
            kid: string;
            /**
             * @description `next`: published and not in use; `active`: signs; `retired`: no longer signs.
             * @enum {string}
             */
            state: "next" | "active" | "retired";
            /** Format: date-time */
            created_at: string;
            /** @description When it began to sign. */
            active_from: string | null;
            /** @description When its tokens end; null until it is retired. */
            ends_at: string | null;
        };
        text_100: string;
        text_10000: string;
        text_100000: string;
        text_12: string;
        text_128: string;
        text_15: string;
        text_200: string;
        text_2048: string;
        text_29: string;
        text_40: string;
        text_4096: string;
        text_500: string;
        text_64: string;
        text_64_zigrwk: string;
        user: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id: string;
        } & WithRequired<components["schemas"]["user_selection"], "id" | "name" | "email" | "verified_email" | "second_factor_at" | "phone" | "address" | "preferences" | "subscription_status" | "role" | "created_at" | "updated_at">;
        /**
         * @example {
         *       "made_at": "2026-11-21T08:30:02.000Z",
         *       "user": {
         *         "id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
         *         "name": "Ada Lovelace",
         *         "email": "ada@example.com"
         *       },
         *       "resources": {
         *         "posts": [
         *           {
         *             "id": "019a5e2e-90b2-7d15-a3f4-c17d0e6b8a92",
         *             "title": "On the Analytical Engine"
         *           }
         *         ]
         *       },
         *       "outside_identities": [],
         *       "audit": {
         *         "entries": [
         *           {
         *             "at": "2026-11-21T08:29:40.000Z",
         *             "action": "posts.create",
         *             "result": "done"
         *           }
         *         ],
         *         "complete": true
         *       }
         *     }
         */
        user_archive: {
            /** Format: date-time */
            made_at: string;
            /** @description The profile. */
            user: {
                [key: string]: unknown;
            };
            /** @description What you own and may read, by resource: `posts`, `sessions`, `api_keys` … */
            resources: {
                [key: string]: {
                    [key: string]: unknown;
                }[];
            };
            /** @description Accounts at outside issuers that are linked to yours. */
            outside_identities: {
                [key: string]: unknown;
            }[];
            audit: {
                /** @description What you did, newest first; the newest 2,000 entries. */
                entries: {
                    [key: string]: unknown;
                }[];
                /** @description False if there are older entries, too. */
                complete: boolean;
            };
        };
        /**
         * @example {
         *       "id": "019a5e32-6d8b-7c71-a0f3-9e2b4d6f8a1c",
         *       "state": "ready",
         *       "reason": null,
         *       "bytes": 48213,
         *       "created_at": "2026-11-21T08:30:00.000Z",
         *       "expires_at": "2026-11-24T08:30:00.000Z"
         *     }
         */
        user_export: {
            id: string;
            /**
             * @description `pending`: it is being made; `ready`: fetch the archive.
             * @enum {string}
             */
            state: "pending" | "ready" | "failed";
            /** @description Why it failed, and what to do; null otherwise. */
            reason: string | null;
            /** @description How long the archive is; null until it is ready. */
            bytes: number | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When it is deleted.
             */
            expires_at: string;
        };
        user_replace: {
            /**
             * @description The name of the user.
             * @example Ada Lovelace
             */
            name: components["schemas"]["text_200"];
            /** @description The address to sign in with, unique; kept in lower case. */
            email: components["schemas"]["email"];
            /**
             * @description A telephone number. Default: `null`.
             * @example +44 20 7946 0000
             */
            phone?: components["schemas"]["text_40"] | null;
            /**
             * @description A postal address. Default: `null`.
             * @example 12 St James's Square, London
             */
            address?: components["schemas"]["text_500"] | null;
            /**
             * @description Settings of the user's own choosing. Default: `{}`.
             * @example {
             *       "theme": "dark"
             *     }
             */
            preferences?: {
                [key: string]: unknown;
            };
            /**
             * @deprecated
             * @description The state of the user's subscription.
             * @enum {string}
             */
            subscription_status?: "none" | "trialing" | "active" | "past_due" | "canceled";
            /**
             * @description What the user may do.
             * @enum {string}
             */
            role?: "user" | "viewer" | "operator" | "admin";
            /** @description The id, made by the server. */
            readonly id?: unknown;
            /**
             * @description The address that was verified last. While it is `email`, the address is verified.
             * @example ada@example.com
             */
            readonly verified_email?: unknown;
            /** @description The time since which sign-ins need a second factor; null if the password is enough. */
            readonly second_factor_at?: unknown;
            /** @description When it was created. */
            readonly created_at?: unknown;
            /** @description When it was last changed. */
            readonly updated_at?: unknown;
        };
        user_selection: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            id?: string;
            /**
             * @description The name of the user.
             * @example Ada Lovelace
             */
            name?: string;
            /**
             * Format: email
             * @description The address to sign in with, unique; kept in lower case.
             */
            email?: string;
            /**
             * @description The address that was verified last. While it is `email`, the address is verified.
             * @example ada@example.com
             */
            verified_email?: string | null;
            /** @description The time since which sign-ins need a second factor; null if the password is enough. */
            second_factor_at?: string | null;
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
            /**
             * @deprecated
             * @description The state of the user's subscription.
             * @enum {string}
             */
            subscription_status?: "none" | "trialing" | "active" | "past_due" | "canceled";
            /**
             * @description What the user may do.
             * @enum {string}
             */
            role?: "user" | "viewer" | "operator" | "admin";
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
        user_sign_up: {
            /**
             * @description The name of the user.
             * @example Ada Lovelace
             */
            name: components["schemas"]["text_200"];
            /** @description The address to sign in with, unique; kept in lower case. */
            email: components["schemas"]["email"];
            /**
             * @description A telephone number. Default: `null`.
             * @example +44 20 7946 0000
             */
            phone?: components["schemas"]["text_40"] | null;
            /**
             * @description A postal address. Default: `null`.
             * @example 12 St James's Square, London
             */
            address?: components["schemas"]["text_500"] | null;
            /**
             * @description Settings of the user's own choosing. Default: `{}`.
             * @example {
             *       "theme": "dark"
             *     }
             */
            preferences?: {
                [key: string]: unknown;
            };
            /**
             * @deprecated
             * @description The state of the user's subscription.
             * @enum {string}
             */
            readonly subscription_status?: "none" | "trialing" | "active" | "past_due" | "canceled";
            /**
             * @description What the user may do.
             * @enum {string}
             */
            readonly role?: "user" | "viewer" | "operator" | "admin";
            /** @description 8 to 128 characters of any kind that are not easy to guess. */
            password: string;
        };
        user_update: {
            /**
             * Format: uuid
             * @description The id, made by the server.
             */
            readonly id?: string;
            /**
             * @description The name of the user.
             * @example Ada Lovelace
             */
            name?: components["schemas"]["text_200"];
            /** @description The address to sign in with, unique; kept in lower case. */
            email?: components["schemas"]["email"];
            /**
             * @description The address that was verified last. While it is `email`, the address is verified.
             * @example ada@example.com
             */
            readonly verified_email?: string | null;
            /** @description The time since which sign-ins need a second factor; null if the password is enough. */
            readonly second_factor_at?: components["schemas"]["date_time"] | null;
            /**
             * @description A telephone number.
             * @example +44 20 7946 0000
             */
            phone?: components["schemas"]["text_40"] | null;
            /**
             * @description A postal address.
             * @example 12 St James's Square, London
             */
            address?: components["schemas"]["text_500"] | null;
            /**
             * @description Settings of the user's own choosing.
             * @example {
             *       "theme": "dark"
             *     }
             */
            preferences?: {
                [key: string]: unknown;
            };
            /**
             * @deprecated
             * @description The state of the user's subscription.
             * @enum {string}
             */
            subscription_status?: "none" | "trialing" | "active" | "past_due" | "canceled";
            /**
             * @description What the user may do.
             * @enum {string}
             */
            role?: "user" | "viewer" | "operator" | "admin";
            /**
             * Format: date-time
             * @description When it was created.
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at?: string;
        };
        user_with_posts_selection: {
            /** @description With `include`: the first 20 that you may read. */
            posts?: {
                data: components["schemas"]["post_selection"][];
                page: components["schemas"]["page"];
                /** @description The list itself. */
                link: string;
            };
        } & components["schemas"]["user_selection"];
        user_with_relations: {
            /** @description With `include`: the first 20 that you may read. */
            posts?: {
                data: components["schemas"]["post_with_author_selection"][];
                page: components["schemas"]["page"];
                /** @description The list itself. */
                link: string;
            };
        } & WithRequired<components["schemas"]["user_selection"], "id" | "name" | "email" | "verified_email" | "second_factor_at" | "phone" | "address" | "preferences" | "subscription_status" | "role" | "created_at" | "updated_at">;
        user_with_relations_selection: {
            /** @description With `include`: the first 20 that you may read. */
            posts?: {
                data: components["schemas"]["post_with_author_selection"][];
                page: components["schemas"]["page"];
                /** @description The list itself. */
                link: string;
            };
        } & components["schemas"]["user_selection"];
        /** Format: uuid */
        uuid: string;
        /** Format: uuid */
        uuid_8192: string;
        /**
         * @example {
         *       "scheme": "stripe",
         *       "valid": false,
         *       "code": "signature_mismatch",
         *       "message": "No signature is right: another endpoint's key, or a body that was parsed.",
         *       "hint": "The key is right: the signature fits the body as JSON without spaces, so a proxy or a parser changed the request. Pass on what arrived, unchanged.",
         *       "headers": [
         *         {
         *           "name": "stripe-signature",
         *           "length": 142,
         *           "value": null
         *         }
         *       ],
         *       "signatures": 1,
         *       "covered": [
         *         "timestamp",
         *         "body",
         *         "id",
         *         "type"
         *       ],
         *       "content": "{timestamp}.{body}",
         *       "signed": {
         *         "bytes": 1493,
         *         "sha256": "9f2c54c7d3a8e1b06f7a92de4c1b8a35f06d7e2c9b41a0835d6ef7a1c2b3d4e1"
         *       },
         *       "body": {
         *         "bytes": 1482,
         *         "sha256": "2b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfe"
         *       },
         *       "keys": {
         *         "tried": 2,
         *         "named": null,
         *         "matched": null,
         *         "id": null
         *       },
         *       "time": {
         *         "signed_at": "2026-11-21T08:29:58.000Z",
         *         "skew_seconds": 4,
         *         "tolerance_seconds": 300
         *       },
         *       "repeat": null
         *     }
         */
        verification_trace: {
            /** @description Null if the provider is no longer known. */
            scheme: string | null;
            valid: boolean;
            /** @description Why it was refused: a code of the verifier. */
            code: string | null;
            message: string | null;
            /** @description What to do about it, in a sentence or two. */
            hint: string | null;
            /** @description The headers that were looked at; for a stored event those that are kept. */
            headers: {
                name: string;
                /** @description Characters; null if the request does not have it. */
                length: number | null;
                /** @description Only of headers that hold no secret and no signature, such as times and ids. */
                value: string | null;
            }[];
            /** @description How many were found; null for a stored event. */
            signatures: number | null;
            /** @description The parts of the request that the signature covers. */
            covered: string[];
            /** @description How the signed bytes are put together: `{timestamp}.{body}`; null if no template says it. */
            content: string | null;
            /** @description The signed bytes; null if they are not known. */
            signed: {
                /** Format: int64 */
                bytes: number;
                sha256: string;
            } | null;
            /** @description The body as it came; null if it is not known. */
            body: {
                /** Format: int64 */
                bytes: number;
                sha256: string;
            } | null;
            keys: {
                tried: number | null;
                /** @description The id of the key that the message names. */
                named: string | null;
                /** @description Which of those that were tried fits, from 1 on. */
                matched: number | null;
                /** @description Its id, if it has one. */
                id: string | null;
            } | null;
            time: {
                /**
                 * Format: date-time
                 * @description Proved only if the signature holds.
                 */
                signed_at: string;
                /** @description Signed so long before it came; negative if after. */
                skew_seconds: number;
                tolerance_seconds: number | null;
            } | null;
            /** @description On what it was decided whether it is a repeat; null for a refused delivery. */
            repeat: {
                /** @enum {string} */
                by: "id" | "unsigned_id" | "body" | "none";
                window_seconds: number | null;
                /** @description What is compared with other deliveries. */
                key: string | null;
            } | null;
        };
    };
    responses: {
        /** @description The request as such cannot be answered, whatever it asks for: `bad_request`, `method_not_allowed`, `not_acceptable`, `request_timeout`, `uri_too_long`, `headers_too_large`. */
        Other: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description The event is stored, or was stored before. For a batch the answer has `events`. */
        r200_the_event_is_stored: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "API-Version": components["headers"]["API-Version"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /**
                     * @description The event's id here.
                     * @example 2051
                     */
                    id: string;
                    /** @enum {string} */
                    status: "accepted" | "duplicate" | "ignored" | "quarantined";
                    /**
                     * @description Only for a duplicate whose event is dead. It stays `dead`, unless `replay_on_resend` of its provider runs it again.
                     * @enum {string}
                     */
                    state?: "received" | "processing" | "retrying" | "processed" | "dead" | "cancelled" | "ignored" | "quarantined" | "discarded";
                } | {
                    events: {
                        /**
                         * @description The event's id here.
                         * @example 2051
                         */
                        id: string;
                        /** @enum {string} */
                        status: "accepted" | "duplicate" | "ignored" | "quarantined";
                        /**
                         * @description Only for a duplicate whose event is dead. It stays `dead`, unless `replay_on_resend` of its provider runs it again.
                         * @enum {string}
                         */
                        state?: "received" | "processing" | "retrying" | "processed" | "dead" | "cancelled" | "ignored" | "quarantined" | "discarded";
                    }[];
                };
            };
        };
        /** @description A pair of tokens. */
        r201_a_pair_of_tokens: {
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
                "application/json": {
                    /**
                     * @description Send it as `Authorization: Bearer …`.
                     * @example eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTlhNWUyYy03ZDRiLTdjM2UtOWYxMC0yYjZmOGMxZDRlNWEifQ.YW4gZXhhbXBsZSwgbm8gc2lnbmF0dXJl
                     */
                    access_token: string;
                    /** @constant */
                    token_type: "Bearer";
                    /**
                     * Format: int64
                     * @description Seconds.
                     * @example 600
                     */
                    expires_in: number;
                    /**
                     * @description Good for one exchange. For 30 seconds, as long as its successor is unused, the same exchange gets the same successor again.
                     * @example prt_019a5e2d-1f60-7a08-8d7c-5a90be3f2c41_4f9d0c7a2be8153640f9d0c7a2be81534f9d0c7a2be8153640f9d0c7a2be8153
                     */
                    refresh_token: string;
                };
            };
        };
        /** @description It is gone. */
        r204_it_is_gone: {
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
        /** @description It is paused on every node. */
        r204_it_is_paused_on: {
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
        /** @description Its tokens are no longer accepted. */
        r204_its_tokens_are_no: {
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
        /** @description Done, as `Prefer: return=minimal` asks. */
        "r204_minimal_Idempotency-Replayed": {
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
        /** @description Done, as `Prefer: return=minimal` asks. */
        "r204_minimal_Idempotency-Replayed_Location": {
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
            content?: never;
        };
        /** @description Done, as `Prefer: return=minimal` asks. */
        r204_minimal_Location: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "API-Version": components["headers"]["API-Version"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                ETag: components["headers"]["ETag"];
                "Last-Modified": components["headers"]["Last-Modified"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description Set. Every session of the user has ended; sign in with the new password. */
        r204_set_every_session_of: {
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
        /** @description It is what `If-None-Match` names. */
        r304: {
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
        /** @description It is what `If-None-Match` names. */
        "r304_Content-Location": {
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
        /** @description It is what `If-None-Match` names. */
        "r304_Content-Location_deprecated": {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "API-Version": components["headers"]["API-Version"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Content-Location": components["headers"]["Content-Location"];
                ETag: components["headers"]["ETag"];
                "Last-Modified": components["headers"]["Last-Modified"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description It is what `If-None-Match` names. */
        r304_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "API-Version": components["headers"]["API-Version"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Last-Modified": components["headers"]["Last-Modified"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `unknown_parameter`, `invalid_parameter`, `malformed_header`, `multiple_credentials`. */
        r400: {
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
        /** @description `bad_request`: The request is malformed. */
        r400_bad_request_webhook: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `invalid_json`, `validation_failed`, `unknown_field`, `unknown_parameter`, `invalid_parameter`, `malformed_header`, `multiple_credentials`. */
        r400_body: {
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
        /** @description `invalid_json`, `validation_failed`, `unknown_field`, `field_read_only`, `unknown_parameter`, `invalid_parameter`, `invalid_fields`, `malformed_header`, `multiple_credentials`. */
        r400_body_field_read_only_invalid_fields: {
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
        /** @description `invalid_json`, `validation_failed`, `unknown_field`, `field_read_only`, `unknown_parameter`, `invalid_parameter`, `invalid_fields`, `malformed_header`, `multiple_credentials`. */
        r400_body_field_read_only_invalid_fields_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `unknown_parameter`, `invalid_parameter`, `invalid_filter`, `malformed_header`, `multiple_credentials`. */
        r400_invalid_filter: {
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
        /** @description `unknown_parameter`, `invalid_parameter`, `invalid_fields`, `invalid_filter`, `invalid_sort`, `invalid_include`, `answer_too_large`, `invalid_cursor`, `malformed_header`, `multiple_credentials`. */
        r400_list_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `unknown_parameter`, `invalid_parameter`, `invalid_fields`, `invalid_filter`, `invalid_cursor`, `malformed_header`, `multiple_credentials`. */
        r400_page: {
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
        /** @description `unknown_parameter`, `invalid_parameter`, `invalid_fields`, `invalid_include`, `answer_too_large`, `malformed_header`, `multiple_credentials`. */
        r400_row_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `unauthenticated`, `invalid_token`, `token_expired`. */
        r401: {
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
        /** @description `unauthenticated`, `invalid_token`, `token_expired`. */
        r401_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `unauthenticated`, `invalid_token`, `token_expired`, `invalid_credentials`, `sign_in_too_old`. */
        r401_invalid_credentials_sign_in_too_old: {
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
        /** @description `invalid_signature`: The webhook's signature is not valid. */
        r401_invalid_signature_webhook: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `invalid_token`, `token_expired`. */
        r401_public: {
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
        /** @description `unauthenticated`, `invalid_token`, `token_expired`, `sign_in_too_old`. */
        r401_sign_in_too_old: {
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
        /** @description `unauthenticated`, `invalid_token`, `token_expired`, `sign_in_too_old`. */
        r401_sign_in_too_old_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `insufficient_scope`: The credential lacks the scope that this needs. */
        r403: {
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
        /** @description `insufficient_scope`: The credential lacks the scope that this needs. */
        r403_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `forbidden`, `insufficient_scope`. */
        r403_forbidden: {
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
        /** @description `forbidden`, `insufficient_scope`. */
        r403_forbidden_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `not_found`: There is no such thing. */
        r404: {
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
        r404_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `unknown_provider`: No such webhook provider is configured. */
        r404_unknown_provider_webhook: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `method_not_allowed`: This path does not take that method. */
        r405_method_not_allowed_webhook: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `conflict`, `state_conflict`, `quota_exceeded`. */
        r409_conflict_quota_exceeded_state_conflict: {
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
        r409_key: {
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
        /** @description `conflict`, `idempotency_in_progress`. */
        r409_key_conflict: {
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
        /** @description `conflict`, `state_conflict`, `quota_exceeded`, `idempotency_in_progress`. */
        r409_key_conflict_quota_exceeded_state_conflict: {
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
        /** @description `state_conflict`, `idempotency_in_progress`. */
        r409_key_state_conflict: {
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
        /** @description `state_conflict`: The present state does not allow that. */
        r409_state_conflict: {
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
        r409_state_conflict_webhook: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `version_retired`, `endpoint_removed`, `feature_removed`. */
        r410_gone: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `precondition_failed`: The resource has changed. */
        r412: {
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
        r412_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `content_too_large`: The request body is too large. */
        r413: {
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
        r413_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `content_too_large`: The request body is too large. */
        r413_webhook: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `unsupported_media_type`: The type or coding of the request body is not supported here. */
        r415: {
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
        /** @description `unsupported_media_type`: The type or coding of the request body is not supported here. */
        r415_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `unsupported_media_type`: The type or coding of the request body is not supported here. */
        r415_webhook: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `idempotency_key_reused`: The idempotency key was used with another request. */
        r422: {
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
        r422_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `precondition_required`: This needs an If-Match header. */
        r428: {
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
        r428_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `rate_limited`: Too many requests. */
        r429: {
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
        /** @description `rate_limited`: Too many requests. */
        r429_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `internal_error`: Something went wrong here. */
        r500: {
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
        /** @description `internal_error`: Something went wrong here. */
        r500_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `internal_error`: Something went wrong here. */
        r500_webhook: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `unavailable`, `overloaded`. */
        r503: {
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
        /** @description `unavailable`, `overloaded`. */
        r503_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `query_too_slow`, `unavailable`, `overloaded`. */
        r503_query_too_slow_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `unavailable`, `storage_full`, `overloaded`. */
        r503_storage_full: {
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
        /** @description `unavailable`, `storage_full`, `overloaded`. */
        r503_storage_full_deprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
        /** @description `unavailable`, `storage_full`, `overloaded`. */
        r503_storage_full_webhook: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["problem"];
            };
        };
    };
    parameters: {
        /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
        "Idempotency-Key": string;
        /** @description The `ETag` of the row that you read: the write happens only if the row has not changed since. `*` writes in any case. */
        "If-Match": components["schemas"]["text_4096"];
        /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
        "If-None-Match": components["schemas"]["text_4096"];
        /** @description `*` creates the row: 201 if it did not exist, 412 if it does. It replaces `If-Match`. */
        "If-None-Match_create": string;
        /** @description `return=minimal` asks for 204 without the row (RFC 7240). */
        Prefer: string;
        /** @description Only events whose latest failure has this cause: an id of `GET /admin/causes`. */
        admin_filter_cause: string;
        /** @description The sender's own id of the event. If any has it as the key by which repeats are told, only such events are answered. */
        admin_filter_event_id: string;
        /** @description Only those with this `filter[provider]`. */
        admin_filter_provider: string;
        /** @description Only events received at this time or later. */
        admin_filter_received_at_gte: string;
        /** @description Only events received before this time. */
        admin_filter_received_at_lt: string;
        /** @description Only those with this `filter[state]`. */
        admin_filter_state: string;
        /** @description The type, or a pattern in which `*` stands for any run of characters, such as `invoice.*`. */
        admin_filter_type: string;
        /** @description The order, with `-` in front for descending. Default: `-id`. */
        admin_sort: "id" | "-id";
        /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
        api_key_fields: ("id" | "user_id" | "name" | "scopes" | "expires_at" | "last_used_at" | "created_at" | "updated_at")[];
        /** @description The id of the api key. */
        api_key_id: components["schemas"]["text_64"];
        /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
        comment_fields: ("id" | "post_id" | "user_id" | "content" | "created_at" | "updated_at")[];
        /** @description The id of the comment. */
        comment_id: components["schemas"]["text_64"];
        /** @description Related rows to answer with, comma-separated, as far as you may read them: post, post.author, post.comments, author, author.posts. Of many the first 20 come. */
        comment_include: ("post" | "post.author" | "post.comments" | "author" | "author.posts")[];
        /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, with the same sort and filter. */
        cursor: string;
        /** @description The exportId in the path. */
        exportId_uuid: components["schemas"]["text_64"];
        /** @description The same for included comments; only together with `include`. */
        fields_comments: ("id" | "post_id" | "user_id" | "content" | "created_at" | "updated_at")[];
        /** @description The same for included posts; only together with `include`. */
        fields_posts: ("id" | "user_id" | "title" | "content" | "status" | "published_at" | "created_at" | "updated_at")[];
        /** @description The same for included users; only together with `include`. */
        fields_users: ("id" | "name" | "email" | "verified_email" | "second_factor_at" | "phone" | "address" | "preferences" | "subscription_status" | "role" | "created_at" | "updated_at")[];
        /** @description Only those whose `created_at` is this time or on this day (UTC). */
        filter_created_at: components["schemas"]["date_time_8192"];
        /** @description Only those whose `created_at` is this time or on this day (UTC). */
        filter_created_at_eq: components["schemas"]["date_time_8192"];
        /** @description Only those whose `created_at` is after this time or day (UTC). */
        filter_created_at_gt: components["schemas"]["date_time_8192"];
        /** @description Only those whose `created_at` is this time or later, or not before this day (UTC). */
        filter_created_at_gte: components["schemas"]["date_time_8192"];
        /** @description Only those whose `created_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
        filter_created_at_in: components["schemas"]["date_time"][];
        /** @description Only those whose `created_at` is before this time or day (UTC). */
        filter_created_at_lt: components["schemas"]["date_time_8192"];
        /** @description Only those whose `created_at` is this time or earlier, or not after this day (UTC). */
        filter_created_at_lte: components["schemas"]["date_time_8192"];
        /** @description Only those whose `created_at` is another time or on another day (UTC). */
        filter_created_at_ne: components["schemas"]["date_time_8192"];
        /** @description Only those whose `created_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
        filter_created_at_nin: components["schemas"]["date_time"][];
        /** @description Only those whose `id` is this. */
        filter_id: components["schemas"]["uuid_8192"];
        /** @description Only those whose `id` is this. */
        filter_id_eq: components["schemas"]["uuid_8192"];
        /** @description Only those whose `id` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
        filter_id_in: components["schemas"]["uuid"][];
        /** @description Only those whose `id` has a value other than this. */
        filter_id_ne: components["schemas"]["uuid_8192"];
        /** @description Only those whose `id` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
        filter_id_nin: components["schemas"]["uuid"][];
        /** @description Only those whose `updated_at` is this time or on this day (UTC). */
        filter_updated_at: components["schemas"]["date_time_8192"];
        /** @description Only those whose `updated_at` is this time or on this day (UTC). */
        filter_updated_at_eq: components["schemas"]["date_time_8192"];
        /** @description Only those whose `updated_at` is after this time or day (UTC). */
        filter_updated_at_gt: components["schemas"]["date_time_8192"];
        /** @description Only those whose `updated_at` is this time or later, or not before this day (UTC). */
        filter_updated_at_gte: components["schemas"]["date_time_8192"];
        /** @description Only those whose `updated_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
        filter_updated_at_in: components["schemas"]["date_time"][];
        /** @description Only those whose `updated_at` is before this time or day (UTC). */
        filter_updated_at_lt: components["schemas"]["date_time_8192"];
        /** @description Only those whose `updated_at` is this time or earlier, or not after this day (UTC). */
        filter_updated_at_lte: components["schemas"]["date_time_8192"];
        /** @description Only those whose `updated_at` is another time or on another day (UTC). */
        filter_updated_at_ne: components["schemas"]["date_time_8192"];
        /** @description Only those whose `updated_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
        filter_updated_at_nin: components["schemas"]["date_time"][];
        /** @description Only those whose `user_id` is this. */
        filter_user_id: components["schemas"]["uuid_8192"];
        /** @description Only those whose `user_id` is this. */
        filter_user_id_eq: components["schemas"]["uuid_8192"];
        /** @description Only those whose `user_id` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
        filter_user_id_in: components["schemas"]["uuid"][];
        /** @description Only those whose `user_id` has a value other than this. */
        filter_user_id_ne: components["schemas"]["uuid_8192"];
        /** @description Only those whose `user_id` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
        filter_user_id_nin: components["schemas"]["uuid"][];
        /** @description Default: an hour before `to`. */
        from: components["schemas"]["date_time_8192_m7giwt"];
        /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
        grant_fields: ("id" | "user_id" | "client_id" | "client_name" | "scopes" | "last_used_at" | "expires_at" | "created_at" | "updated_at")[];
        /** @description The id of the grant. */
        grant_id: components["schemas"]["text_64"];
        /** @description The id in the path. */
        id_number: components["schemas"]["text_64"];
        /** @description The id in the path. */
        id_uuid: components["schemas"]["text_64"];
        /** @description Related rows to answer with, comma-separated, as far as you may read them: user, user.posts. Of many the first 20 come. */
        include: ("user" | "user.posts")[];
        /** @description The greatest number of items. */
        limit: number;
        /** @description The name in the path. */
        name_queue: components["schemas"]["text_64"];
        /** @description The name in the path. */
        name_sender: components["schemas"]["text_64"];
        /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
        post_fields: ("id" | "user_id" | "title" | "content" | "status" | "published_at" | "created_at" | "updated_at")[];
        /** @description Only those whose `published_at` is this time or on this day (UTC). */
        post_filter_published_at: components["schemas"]["date_time_8192"];
        /** @description Only those whose `published_at` is this time or on this day (UTC). */
        post_filter_published_at_eq: components["schemas"]["date_time_8192"];
        /** @description Only those whose `published_at` is after this time or day (UTC). */
        post_filter_published_at_gt: components["schemas"]["date_time_8192"];
        /** @description Only those whose `published_at` is this time or later, or not before this day (UTC). */
        post_filter_published_at_gte: components["schemas"]["date_time_8192"];
        /** @description Only those whose `published_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
        post_filter_published_at_in: components["schemas"]["date_time"][];
        /** @description Only those whose `published_at` is before this time or day (UTC). */
        post_filter_published_at_lt: components["schemas"]["date_time_8192"];
        /** @description Only those whose `published_at` is this time or earlier, or not after this day (UTC). */
        post_filter_published_at_lte: components["schemas"]["date_time_8192"];
        /** @description Only those whose `published_at` is another time or on another day (UTC). */
        post_filter_published_at_ne: components["schemas"]["date_time_8192"];
        /** @description Only those whose `published_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
        post_filter_published_at_nin: components["schemas"]["date_time"][];
        /** @description Only those whose `published_at` has no value (`true`) or has a value (`false`). */
        post_filter_published_at_null: boolean;
        /** @description Only those whose `status` is this. */
        post_filter_status: "draft" | "published" | "archived";
        /** @description Only those whose `status` is this. */
        post_filter_status_eq: "draft" | "published" | "archived";
        /** @description Only those whose `status` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
        post_filter_status_in: ("draft" | "published" | "archived")[];
        /** @description Only those whose `status` has a value other than this. */
        post_filter_status_ne: "draft" | "published" | "archived";
        /** @description Only those whose `status` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
        post_filter_status_nin: ("draft" | "published" | "archived")[];
        /** @description Only those whose `title` is this. */
        post_filter_title: components["schemas"]["text_200"];
        /** @description Only those whose `title` contains this text; A to Z match a to z, and other letters only themselves. */
        post_filter_title_contains: string;
        /** @description Only those whose `title` is this. */
        post_filter_title_eq: components["schemas"]["text_200"];
        /** @description Only those whose `title` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
        post_filter_title_in: components["schemas"]["text_200"][];
        /** @description Only those whose `title` has a value other than this. */
        post_filter_title_ne: components["schemas"]["text_200"];
        /** @description Only those whose `title` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
        post_filter_title_nin: components["schemas"]["text_200"][];
        /** @description Only those whose `title` begins with this text; A to Z match a to z, and other letters only themselves. */
        post_filter_title_starts_with: string;
        /** @description The id of the post. */
        post_id: components["schemas"]["text_64"];
        /** @description Related rows to answer with, comma-separated, as far as you may read them: author, author.posts, comments, comments.post, comments.author. Of many the first 20 come. */
        post_include: ("author" | "author.posts" | "comments" | "comments.post" | "comments.author")[];
        /** @description Up to 3 fields to order by, comma-separated, with `-` in front for descending. Default: `id`, oldest first. Text is ordered by code point; what has no value comes last. Fields: id, title, published_at, created_at, updated_at. */
        post_sort: ("id" | "-id" | "title" | "-title" | "published_at" | "-published_at" | "created_at" | "-created_at" | "updated_at" | "-updated_at")[];
        /** @description The provider in the path. */
        provider_sender: components["schemas"]["text_64"];
        /** @description Up to 3 fields to order by, comma-separated, with `-` in front for descending. Default: `id`, oldest first. Text is ordered by code point; what has no value comes last. Fields: id, created_at, updated_at. */
        sort: ("id" | "-id" | "created_at" | "-created_at" | "updated_at" | "-updated_at")[];
        /** @description Default: now. */
        to: components["schemas"]["date_time_8192_m7giwt"];
        /** @description The token in the path. */
        token_mailed: components["schemas"]["text_64"];
        /** @description Whether `page.total` is wanted; it counts up to 10000. */
        total: boolean;
        /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
        user_fields: ("id" | "name" | "email" | "verified_email" | "second_factor_at" | "phone" | "address" | "preferences" | "subscription_status" | "role" | "created_at" | "updated_at")[];
        /** @description The id of the user; `me` is yourself. */
        user_id: components["schemas"]["text_64"];
        /** @description Related rows to answer with, comma-separated, as far as you may read them: posts, posts.author. Of many the first 20 come. */
        user_include: ("posts" | "posts.author")[];
    };
    requestBodies: never;
    headers: {
        /** @description The request's id, for the log and for support: the id that you sent, or a new one. */
        "X-Request-Id": components["schemas"]["text_128"];
        /** @description The version that answered. */
        "API-Version": string;
        /** @description The entity tag of this answer, for `If-Match` and `If-None-Match` (RFC 9110, section 8.8.3). */
        ETag: string;
        /** @description When the row was last changed, to the second. */
        "Last-Modified": components["schemas"]["text_29"];
        /** @description The URL of the result. */
        Location: components["schemas"]["text_2048"];
        /** @description The first page of a list and the neighbouring pages (RFC 8288): `first`, `prev`, `next`. If the request uses something that will be removed: `deprecation` and `sunset` lead to pages that say what to do, `successor-version` to the replacement. */
        Link: string;
        /** @description With `total=true`: how many rows the list has, with a `+` if not all of them were counted. */
        "X-Total-Count": string;
        /** @description The address of the user that `/users/me` stands for. */
        "Content-Location": components["schemas"]["text_2048"];
        /** @description The preference that was honoured (RFC 7240). */
        "Preference-Applied": string;
        /** @description Present if this request was answered before under its `Idempotency-Key`, and this is that answer again. */
        "Idempotency-Replayed": "true";
        /** @description The limits that hold here: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers). */
        "RateLimit-Policy": string;
        /** @description What is left of each limit: `r` requests now, all of them in `t` seconds. */
        RateLimit: string;
        /** @description How to authenticate (RFC 6750, section 3). */
        "WWW-Authenticate": string;
        /** @description When the thing that the request uses was or will be deprecated: seconds since the epoch (RFC 9745). */
        Deprecation: string;
        /** @description The time from which the thing that the request uses may be removed (RFC 8594). */
        Sunset: components["schemas"]["text_29"];
        /** @description How many seconds to wait before you try again. */
        "Retry-After": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "users.list": {
        parameters: {
            query?: {
                /** @description The greatest number of items. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, with the same sort and filter. */
                cursor?: components["parameters"]["cursor"];
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: components["parameters"]["total"];
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["user_fields"];
                /** @description Related rows to answer with, comma-separated, as far as you may read them: posts, posts.author. Of many the first 20 come. */
                include?: components["parameters"]["user_include"];
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: components["parameters"]["fields_posts"];
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: components["parameters"]["fields_users"];
                /** @description Up to 3 fields to order by, comma-separated, with `-` in front for descending. Default: `id`, oldest first. Text is ordered by code point; what has no value comes last. Fields: id, name, email, created_at, updated_at. */
                sort?: ("id" | "-id" | "name" | "-name" | "email" | "-email" | "created_at" | "-created_at" | "updated_at" | "-updated_at")[];
                /** @description Only those whose `id` is this. */
                "filter[id]"?: components["parameters"]["filter_id"];
                /** @description Only those whose `id` is this. */
                "filter[id][eq]"?: components["parameters"]["filter_id_eq"];
                /** @description Only those whose `id` has a value other than this. */
                "filter[id][ne]"?: components["parameters"]["filter_id_ne"];
                /** @description Only those whose `id` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[id][in]"?: components["parameters"]["filter_id_in"];
                /** @description Only those whose `id` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[id][nin]"?: components["parameters"]["filter_id_nin"];
                /** @description Only those whose `name` is this. */
                "filter[name]"?: components["schemas"]["text_200"];
                /** @description Only those whose `name` is this. */
                "filter[name][eq]"?: components["schemas"]["text_200"];
                /** @description Only those whose `name` has a value other than this. */
                "filter[name][ne]"?: components["schemas"]["text_200"];
                /** @description Only those whose `name` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[name][in]"?: components["schemas"]["text_200"][];
                /** @description Only those whose `name` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[name][nin]"?: components["schemas"]["text_200"][];
                /** @description Only those whose `name` contains this text; A to Z match a to z, and other letters only themselves. */
                "filter[name][contains]"?: string;
                /** @description Only those whose `name` begins with this text; A to Z match a to z, and other letters only themselves. */
                "filter[name][starts_with]"?: string;
                /** @description Only those whose `email` is this. */
                "filter[email]"?: components["schemas"]["email"];
                /** @description Only those whose `email` is this. */
                "filter[email][eq]"?: components["schemas"]["email"];
                /** @description Only those whose `email` has a value other than this. */
                "filter[email][ne]"?: components["schemas"]["email"];
                /** @description Only those whose `email` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[email][in]"?: components["schemas"]["email"][];
                /** @description Only those whose `email` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[email][nin]"?: components["schemas"]["email"][];
                /** @description Only those whose `email` contains this text; A to Z match a to z, and other letters only themselves. */
                "filter[email][contains]"?: string;
                /** @description Only those whose `email` begins with this text; A to Z match a to z, and other letters only themselves. */
                "filter[email][starts_with]"?: string;
                /** @description Only those whose `role` is this. */
                "filter[role]"?: "user" | "viewer" | "operator" | "admin";
                /** @description Only those whose `role` is this. */
                "filter[role][eq]"?: "user" | "viewer" | "operator" | "admin";
                /** @description Only those whose `role` has a value other than this. */
                "filter[role][ne]"?: "user" | "viewer" | "operator" | "admin";
                /** @description Only those whose `role` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[role][in]"?: ("user" | "viewer" | "operator" | "admin")[];
                /** @description Only those whose `role` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[role][nin]"?: ("user" | "viewer" | "operator" | "admin")[];
                /** @description Only those whose `created_at` is this time or on this day (UTC). */
                "filter[created_at]"?: components["parameters"]["filter_created_at"];
                /** @description Only those whose `created_at` is this time or on this day (UTC). */
                "filter[created_at][eq]"?: components["parameters"]["filter_created_at_eq"];
                /** @description Only those whose `created_at` is another time or on another day (UTC). */
                "filter[created_at][ne]"?: components["parameters"]["filter_created_at_ne"];
                /** @description Only those whose `created_at` is before this time or day (UTC). */
                "filter[created_at][lt]"?: components["parameters"]["filter_created_at_lt"];
                /** @description Only those whose `created_at` is this time or earlier, or not after this day (UTC). */
                "filter[created_at][lte]"?: components["parameters"]["filter_created_at_lte"];
                /** @description Only those whose `created_at` is after this time or day (UTC). */
                "filter[created_at][gt]"?: components["parameters"]["filter_created_at_gt"];
                /** @description Only those whose `created_at` is this time or later, or not before this day (UTC). */
                "filter[created_at][gte]"?: components["parameters"]["filter_created_at_gte"];
                /** @description Only those whose `created_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[created_at][in]"?: components["parameters"]["filter_created_at_in"];
                /** @description Only those whose `created_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[created_at][nin]"?: components["parameters"]["filter_created_at_nin"];
                /** @description Only those whose `updated_at` is this time or on this day (UTC). */
                "filter[updated_at]"?: components["parameters"]["filter_updated_at"];
                /** @description Only those whose `updated_at` is this time or on this day (UTC). */
                "filter[updated_at][eq]"?: components["parameters"]["filter_updated_at_eq"];
                /** @description Only those whose `updated_at` is another time or on another day (UTC). */
                "filter[updated_at][ne]"?: components["parameters"]["filter_updated_at_ne"];
                /** @description Only those whose `updated_at` is before this time or day (UTC). */
                "filter[updated_at][lt]"?: components["parameters"]["filter_updated_at_lt"];
                /** @description Only those whose `updated_at` is this time or earlier, or not after this day (UTC). */
                "filter[updated_at][lte]"?: components["parameters"]["filter_updated_at_lte"];
                /** @description Only those whose `updated_at` is after this time or day (UTC). */
                "filter[updated_at][gt]"?: components["parameters"]["filter_updated_at_gt"];
                /** @description Only those whose `updated_at` is this time or later, or not before this day (UTC). */
                "filter[updated_at][gte]"?: components["parameters"]["filter_updated_at_gte"];
                /** @description Only those whose `updated_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[updated_at][in]"?: components["parameters"]["filter_updated_at_in"];
                /** @description Only those whose `updated_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[updated_at][nin]"?: components["parameters"]["filter_updated_at_nin"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, oldest first unless `sort` says otherwise. If more items would make the answer too large, it has fewer than `limit` items and a next page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["user_with_relations"] | components["schemas"]["user_with_relations_selection"])[];
                };
            };
            304: components["responses"]["r304_deprecated"];
            400: components["responses"]["r400_list_deprecated"];
            401: components["responses"]["r401_deprecated"];
            403: components["responses"]["r403_deprecated"];
            410: components["responses"]["r410_gone"];
            412: components["responses"]["r412_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_query_too_slow_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "users.create": {
        parameters: {
            query?: {
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["user_fields"];
            };
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `return=minimal` asks for 204 without the row (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
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
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["user"] | components["schemas"]["user_selection"];
                };
            };
            /** @description Where the server confirms addresses: the account is made as soon as the owner of the address opens the mailed link. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content?: never;
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
                    Location: components["headers"]["Location"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["r400_body_field_read_only_invalid_fields_deprecated"];
            401: components["responses"]["r401_deprecated"];
            403: components["responses"]["r403_forbidden_deprecated"];
            /** @description `conflict`, `idempotency_in_progress`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Retry-After": components["headers"]["Retry-After"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            410: components["responses"]["r410_gone"];
            413: components["responses"]["r413_deprecated"];
            415: components["responses"]["r415_deprecated"];
            422: components["responses"]["r422_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_storage_full_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "users.change-password": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: components["parameters"]["user_id"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current_password": "correct horse battery",
                 *       "new_password": "nine loud violet kettles"
                 *     }
                 */
                "application/json": {
                    /** @example correct horse battery */
                    current_password?: string;
                    /** @description 8 to 128 characters of any kind that are not easy to guess. */
                    new_password: string;
                    /** @description True ends all API keys of the user, too. Otherwise they stay valid: programs go on with them. Default: `false`. */
                    revoke_api_keys?: boolean;
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
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401_invalid_credentials_sign_in_too_old"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "users.read": {
        parameters: {
            query?: {
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["user_fields"];
                /** @description Related rows to answer with, comma-separated, as far as you may read them: posts, posts.author. Of many the first 20 come. */
                include?: components["parameters"]["user_include"];
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: components["parameters"]["fields_posts"];
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: components["parameters"]["fields_users"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: components["parameters"]["user_id"];
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
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["user_with_relations"] | components["schemas"]["user_with_relations_selection"];
                };
            };
            304: components["responses"]["r304_Content-Location_deprecated"];
            400: components["responses"]["r400_row_deprecated"];
            401: components["responses"]["r401_deprecated"];
            403: components["responses"]["r403_deprecated"];
            404: components["responses"]["r404_deprecated"];
            410: components["responses"]["r410_gone"];
            412: components["responses"]["r412_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "users.replace": {
        parameters: {
            query?: {
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["user_fields"];
            };
            header?: {
                /** @description The `ETag` of the row that you read: the write happens only if the row has not changed since. `*` writes in any case. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `return=minimal` asks for 204 without the row (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: components["parameters"]["user_id"];
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
                 *       "subscription_status": "none",
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
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["user"] | components["schemas"]["user_selection"];
                };
            };
            /** @description Where the server confirms addresses, and for one that another account has on trust: the new address is changed as soon as its owner opens the mailed link. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Content-Location": components["headers"]["Content-Location"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content?: never;
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
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["r400_body_field_read_only_invalid_fields_deprecated"];
            401: components["responses"]["r401_sign_in_too_old_deprecated"];
            403: components["responses"]["r403_forbidden_deprecated"];
            404: components["responses"]["r404_deprecated"];
            /** @description `conflict`, `state_conflict`, `quota_exceeded`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            410: components["responses"]["r410_gone"];
            412: components["responses"]["r412_deprecated"];
            413: components["responses"]["r413_deprecated"];
            415: components["responses"]["r415_deprecated"];
            428: components["responses"]["r428_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_storage_full_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "users.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the row that you read: the write happens only if the row has not changed since. `*` writes in any case. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: components["parameters"]["user_id"];
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
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Content-Location": components["headers"]["Content-Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            412: components["responses"]["r412"];
            422: components["responses"]["r422"];
            428: components["responses"]["r428"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "users.update": {
        parameters: {
            query?: {
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["user_fields"];
            };
            header?: {
                /** @description The `ETag` of the row that you read: the write happens only if the row has not changed since. `*` writes in any case. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `return=minimal` asks for 204 without the row (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: components["parameters"]["user_id"];
            };
            cookie?: never;
        };
        /** @description The members to change; null removes one. */
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
                 *       "subscription_status": "none",
                 *       "role": "user"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["user_update"];
                /**
                 * @example {
                 *       "name": "Ada Lovelace",
                 *       "email": "ada@example.com",
                 *       "phone": "+44 20 7946 0000",
                 *       "address": "12 St James's Square, London",
                 *       "preferences": {
                 *         "theme": "dark"
                 *       },
                 *       "subscription_status": "none",
                 *       "role": "user"
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
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["user"] | components["schemas"]["user_selection"];
                };
            };
            /** @description Where the server confirms addresses, and for one that another account has on trust: the new address is changed as soon as its owner opens the mailed link. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Content-Location": components["headers"]["Content-Location"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content?: never;
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
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["r400_body_field_read_only_invalid_fields_deprecated"];
            401: components["responses"]["r401_sign_in_too_old_deprecated"];
            403: components["responses"]["r403_forbidden_deprecated"];
            404: components["responses"]["r404_deprecated"];
            /** @description `conflict`, `state_conflict`, `quota_exceeded`, `idempotency_in_progress`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Retry-After": components["headers"]["Retry-After"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            410: components["responses"]["r410_gone"];
            412: components["responses"]["r412_deprecated"];
            413: components["responses"]["r413_deprecated"];
            415: components["responses"]["r415_deprecated"];
            422: components["responses"]["r422_deprecated"];
            428: components["responses"]["r428_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_storage_full_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "sessions.list": {
        parameters: {
            query?: {
                /** @description The greatest number of items. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, with the same sort and filter. */
                cursor?: components["parameters"]["cursor"];
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: components["parameters"]["total"];
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: ("id" | "user_id" | "last_used_at" | "device" | "address" | "expires_at" | "created_at" | "updated_at")[];
                /** @description Related rows to answer with, comma-separated, as far as you may read them: user, user.posts. Of many the first 20 come. */
                include?: components["parameters"]["include"];
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: components["parameters"]["fields_users"];
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: components["parameters"]["fields_posts"];
                /** @description Up to 3 fields to order by, comma-separated, with `-` in front for descending. Default: `id`, oldest first. Text is ordered by code point; what has no value comes last. Fields: id, created_at, updated_at. */
                sort?: components["parameters"]["sort"];
                /** @description Only those whose `id` is this. */
                "filter[id]"?: components["parameters"]["filter_id"];
                /** @description Only those whose `id` is this. */
                "filter[id][eq]"?: components["parameters"]["filter_id_eq"];
                /** @description Only those whose `id` has a value other than this. */
                "filter[id][ne]"?: components["parameters"]["filter_id_ne"];
                /** @description Only those whose `id` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[id][in]"?: components["parameters"]["filter_id_in"];
                /** @description Only those whose `id` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[id][nin]"?: components["parameters"]["filter_id_nin"];
                /** @description Only those whose `user_id` is this. */
                "filter[user_id]"?: components["parameters"]["filter_user_id"];
                /** @description Only those whose `user_id` is this. */
                "filter[user_id][eq]"?: components["parameters"]["filter_user_id_eq"];
                /** @description Only those whose `user_id` has a value other than this. */
                "filter[user_id][ne]"?: components["parameters"]["filter_user_id_ne"];
                /** @description Only those whose `user_id` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[user_id][in]"?: components["parameters"]["filter_user_id_in"];
                /** @description Only those whose `user_id` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[user_id][nin]"?: components["parameters"]["filter_user_id_nin"];
                /** @description Only those whose `created_at` is this time or on this day (UTC). */
                "filter[created_at]"?: components["parameters"]["filter_created_at"];
                /** @description Only those whose `created_at` is this time or on this day (UTC). */
                "filter[created_at][eq]"?: components["parameters"]["filter_created_at_eq"];
                /** @description Only those whose `created_at` is another time or on another day (UTC). */
                "filter[created_at][ne]"?: components["parameters"]["filter_created_at_ne"];
                /** @description Only those whose `created_at` is before this time or day (UTC). */
                "filter[created_at][lt]"?: components["parameters"]["filter_created_at_lt"];
                /** @description Only those whose `created_at` is this time or earlier, or not after this day (UTC). */
                "filter[created_at][lte]"?: components["parameters"]["filter_created_at_lte"];
                /** @description Only those whose `created_at` is after this time or day (UTC). */
                "filter[created_at][gt]"?: components["parameters"]["filter_created_at_gt"];
                /** @description Only those whose `created_at` is this time or later, or not before this day (UTC). */
                "filter[created_at][gte]"?: components["parameters"]["filter_created_at_gte"];
                /** @description Only those whose `created_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[created_at][in]"?: components["parameters"]["filter_created_at_in"];
                /** @description Only those whose `created_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[created_at][nin]"?: components["parameters"]["filter_created_at_nin"];
                /** @description Only those whose `updated_at` is this time or on this day (UTC). */
                "filter[updated_at]"?: components["parameters"]["filter_updated_at"];
                /** @description Only those whose `updated_at` is this time or on this day (UTC). */
                "filter[updated_at][eq]"?: components["parameters"]["filter_updated_at_eq"];
                /** @description Only those whose `updated_at` is another time or on another day (UTC). */
                "filter[updated_at][ne]"?: components["parameters"]["filter_updated_at_ne"];
                /** @description Only those whose `updated_at` is before this time or day (UTC). */
                "filter[updated_at][lt]"?: components["parameters"]["filter_updated_at_lt"];
                /** @description Only those whose `updated_at` is this time or earlier, or not after this day (UTC). */
                "filter[updated_at][lte]"?: components["parameters"]["filter_updated_at_lte"];
                /** @description Only those whose `updated_at` is after this time or day (UTC). */
                "filter[updated_at][gt]"?: components["parameters"]["filter_updated_at_gt"];
                /** @description Only those whose `updated_at` is this time or later, or not before this day (UTC). */
                "filter[updated_at][gte]"?: components["parameters"]["filter_updated_at_gte"];
                /** @description Only those whose `updated_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[updated_at][in]"?: components["parameters"]["filter_updated_at_in"];
                /** @description Only those whose `updated_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[updated_at][nin]"?: components["parameters"]["filter_updated_at_nin"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, oldest first unless `sort` says otherwise. If more items would make the answer too large, it has fewer than `limit` items and a next page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["session_with_relations"] | components["schemas"]["session_with_relations_selection"])[];
                };
            };
            304: components["responses"]["r304_deprecated"];
            400: components["responses"]["r400_list_deprecated"];
            401: components["responses"]["r401_deprecated"];
            403: components["responses"]["r403_deprecated"];
            410: components["responses"]["r410_gone"];
            412: components["responses"]["r412_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_query_too_slow_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "sessions.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": {
                    email: string;
                    /** @example correct horse battery */
                    password: string;
                };
            };
        };
        responses: {
            201: components["responses"]["r201_a_pair_of_tokens"];
            400: components["responses"]["r400_body"];
            /** @description `invalid_token`, `token_expired`, `invalid_credentials`, `mfa_required`. */
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
            /** @description `address_unverified`: The address is not verified. */
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
            409: components["responses"]["r409_key"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "sessions.deleteAll": {
        parameters: {
            query?: {
                /** @description `current` keeps the one that this request uses. */
                keep?: "current";
            };
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They have ended. */
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
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            409: components["responses"]["r409_key"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "sessions.finish": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "challenge": "act_2zX7mVqN4bKcY9RtWfLhJd_5sPgT8uEoA1iQwZnBxMvCr",
                 *       "code": "123456"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description `challenge` of the answer to `POST /sessions`.
                     * @example act_2zX7mVqN4bKcY9RtWfLhJd_5sPgT8uEoA1iQwZnBxMvCr
                     */
                    challenge: string;
                    /**
                     * @description Six digits of the authenticator app, or a recovery code.
                     * @example 123456
                     */
                    code: string;
                };
            };
        };
        responses: {
            201: components["responses"]["r201_a_pair_of_tokens"];
            400: components["responses"]["r400_body"];
            /** @description `invalid_token`, `token_expired`, `invalid_credentials`. */
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
            409: components["responses"]["r409_key"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "sessions.refresh": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "prt_019a5e2d-1f60-7a08-8d7c-5a90be3f2c41_4f9d0c7a2be8153640f9d0c7a2be81534f9d0c7a2be8153640f9d0c7a2be8153"
                 *     }
                 */
                "application/json": {
                    /** @example prt_019a5e2d-1f60-7a08-8d7c-5a90be3f2c41_4f9d0c7a2be8153640f9d0c7a2be81534f9d0c7a2be8153640f9d0c7a2be8153 */
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
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Send it as `Authorization: Bearer …`.
                         * @example eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTlhNWUyYy03ZDRiLTdjM2UtOWYxMC0yYjZmOGMxZDRlNWEifQ.YW4gZXhhbXBsZSwgbm8gc2lnbmF0dXJl
                         */
                        access_token: string;
                        /** @constant */
                        token_type: "Bearer";
                        /**
                         * Format: int64
                         * @description Seconds.
                         * @example 600
                         */
                        expires_in: number;
                        /**
                         * @description Good for one exchange. For 30 seconds, as long as its successor is unused, the same exchange gets the same successor again.
                         * @example prt_019a5e2d-1f60-7a08-8d7c-5a90be3f2c41_4f9d0c7a2be8153640f9d0c7a2be81534f9d0c7a2be8153640f9d0c7a2be8153
                         */
                        refresh_token: string;
                    };
                };
            };
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401_public"];
            409: components["responses"]["r409_key"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "sessions.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id of the session. */
                id: components["schemas"]["text_64"];
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
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "grants.narrow": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the grant. */
                id: components["parameters"]["grant_id"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "scopes": [
                 *         "posts:read"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description What it may still do: some of the scopes that the grant has. To allow more, authorize the client again. */
                    scopes: string[];
                };
            };
        };
        responses: {
            /** @description Its tokens no longer work for other scopes. */
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
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403"];
            404: components["responses"]["r404"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "grants.read": {
        parameters: {
            query?: {
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["grant_fields"];
                /** @description Related rows to answer with, comma-separated, as far as you may read them: user, user.posts. Of many the first 20 come. */
                include?: components["parameters"]["include"];
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: components["parameters"]["fields_users"];
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: components["parameters"]["fields_posts"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id of the grant. */
                id: components["parameters"]["grant_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The grant. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["grant_with_relations"] | components["schemas"]["grant_with_relations_selection"];
                };
            };
            304: components["responses"]["r304_deprecated"];
            400: components["responses"]["r400_row_deprecated"];
            401: components["responses"]["r401_deprecated"];
            403: components["responses"]["r403_deprecated"];
            404: components["responses"]["r404_deprecated"];
            410: components["responses"]["r410_gone"];
            412: components["responses"]["r412_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "grants.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id of the grant. */
                id: components["parameters"]["grant_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["r204_its_tokens_are_no"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "outside-identities.delete": {
        parameters: {
            query?: {
                /** @description `allowed` deletes the link, even one that has already ended, so that a token of the outside account can link it again. */
                relink?: "allowed";
            };
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: components["parameters"]["user_id"];
                /** @description The identityId in the path. */
                identityId: components["schemas"]["text_64"];
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
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Content-Location": components["headers"]["Content-Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["r400"];
            401: components["responses"]["r401_sign_in_too_old"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "grants.list": {
        parameters: {
            query?: {
                /** @description The greatest number of items. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, with the same sort and filter. */
                cursor?: components["parameters"]["cursor"];
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: components["parameters"]["total"];
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["grant_fields"];
                /** @description Related rows to answer with, comma-separated, as far as you may read them: user, user.posts. Of many the first 20 come. */
                include?: components["parameters"]["include"];
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: components["parameters"]["fields_users"];
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: components["parameters"]["fields_posts"];
                /** @description Up to 3 fields to order by, comma-separated, with `-` in front for descending. Default: `id`, oldest first. Text is ordered by code point; what has no value comes last. Fields: id, created_at, updated_at. */
                sort?: components["parameters"]["sort"];
                /** @description Only those whose `id` is this. */
                "filter[id]"?: components["parameters"]["filter_id"];
                /** @description Only those whose `id` is this. */
                "filter[id][eq]"?: components["parameters"]["filter_id_eq"];
                /** @description Only those whose `id` has a value other than this. */
                "filter[id][ne]"?: components["parameters"]["filter_id_ne"];
                /** @description Only those whose `id` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[id][in]"?: components["parameters"]["filter_id_in"];
                /** @description Only those whose `id` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[id][nin]"?: components["parameters"]["filter_id_nin"];
                /** @description Only those whose `user_id` is this. */
                "filter[user_id]"?: components["parameters"]["filter_user_id"];
                /** @description Only those whose `user_id` is this. */
                "filter[user_id][eq]"?: components["parameters"]["filter_user_id_eq"];
                /** @description Only those whose `user_id` has a value other than this. */
                "filter[user_id][ne]"?: components["parameters"]["filter_user_id_ne"];
                /** @description Only those whose `user_id` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[user_id][in]"?: components["parameters"]["filter_user_id_in"];
                /** @description Only those whose `user_id` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[user_id][nin]"?: components["parameters"]["filter_user_id_nin"];
                /** @description Only those whose `created_at` is this time or on this day (UTC). */
                "filter[created_at]"?: components["parameters"]["filter_created_at"];
                /** @description Only those whose `created_at` is this time or on this day (UTC). */
                "filter[created_at][eq]"?: components["parameters"]["filter_created_at_eq"];
                /** @description Only those whose `created_at` is another time or on another day (UTC). */
                "filter[created_at][ne]"?: components["parameters"]["filter_created_at_ne"];
                /** @description Only those whose `created_at` is before this time or day (UTC). */
                "filter[created_at][lt]"?: components["parameters"]["filter_created_at_lt"];
                /** @description Only those whose `created_at` is this time or earlier, or not after this day (UTC). */
                "filter[created_at][lte]"?: components["parameters"]["filter_created_at_lte"];
                /** @description Only those whose `created_at` is after this time or day (UTC). */
                "filter[created_at][gt]"?: components["parameters"]["filter_created_at_gt"];
                /** @description Only those whose `created_at` is this time or later, or not before this day (UTC). */
                "filter[created_at][gte]"?: components["parameters"]["filter_created_at_gte"];
                /** @description Only those whose `created_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[created_at][in]"?: components["parameters"]["filter_created_at_in"];
                /** @description Only those whose `created_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[created_at][nin]"?: components["parameters"]["filter_created_at_nin"];
                /** @description Only those whose `updated_at` is this time or on this day (UTC). */
                "filter[updated_at]"?: components["parameters"]["filter_updated_at"];
                /** @description Only those whose `updated_at` is this time or on this day (UTC). */
                "filter[updated_at][eq]"?: components["parameters"]["filter_updated_at_eq"];
                /** @description Only those whose `updated_at` is another time or on another day (UTC). */
                "filter[updated_at][ne]"?: components["parameters"]["filter_updated_at_ne"];
                /** @description Only those whose `updated_at` is before this time or day (UTC). */
                "filter[updated_at][lt]"?: components["parameters"]["filter_updated_at_lt"];
                /** @description Only those whose `updated_at` is this time or earlier, or not after this day (UTC). */
                "filter[updated_at][lte]"?: components["parameters"]["filter_updated_at_lte"];
                /** @description Only those whose `updated_at` is after this time or day (UTC). */
                "filter[updated_at][gt]"?: components["parameters"]["filter_updated_at_gt"];
                /** @description Only those whose `updated_at` is this time or later, or not before this day (UTC). */
                "filter[updated_at][gte]"?: components["parameters"]["filter_updated_at_gte"];
                /** @description Only those whose `updated_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[updated_at][in]"?: components["parameters"]["filter_updated_at_in"];
                /** @description Only those whose `updated_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[updated_at][nin]"?: components["parameters"]["filter_updated_at_nin"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, oldest first unless `sort` says otherwise. If more items would make the answer too large, it has fewer than `limit` items and a next page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["grant_with_relations"] | components["schemas"]["grant_with_relations_selection"])[];
                };
            };
            304: components["responses"]["r304_deprecated"];
            400: components["responses"]["r400_list_deprecated"];
            401: components["responses"]["r401_deprecated"];
            403: components["responses"]["r403_deprecated"];
            410: components["responses"]["r410_gone"];
            412: components["responses"]["r412_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_query_too_slow_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "outside-identities.list": {
        parameters: {
            query?: {
                /** @description The greatest number of items. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, with the same sort and filter. */
                cursor?: components["parameters"]["cursor"];
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: components["parameters"]["total"];
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: ("id" | "user_id" | "issuer" | "subject" | "client_id" | "state" | "created_at" | "updated_at")[];
                /** @description Related rows to answer with, comma-separated, as far as you may read them: user, user.posts. Of many the first 20 come. */
                include?: components["parameters"]["include"];
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: components["parameters"]["fields_users"];
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: components["parameters"]["fields_posts"];
                /** @description Up to 3 fields to order by, comma-separated, with `-` in front for descending. Default: `id`, oldest first. Text is ordered by code point; what has no value comes last. Fields: id, created_at, updated_at. */
                sort?: components["parameters"]["sort"];
                /** @description Only those whose `id` is this. */
                "filter[id]"?: components["parameters"]["filter_id"];
                /** @description Only those whose `id` is this. */
                "filter[id][eq]"?: components["parameters"]["filter_id_eq"];
                /** @description Only those whose `id` has a value other than this. */
                "filter[id][ne]"?: components["parameters"]["filter_id_ne"];
                /** @description Only those whose `id` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[id][in]"?: components["parameters"]["filter_id_in"];
                /** @description Only those whose `id` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[id][nin]"?: components["parameters"]["filter_id_nin"];
                /** @description Only those whose `created_at` is this time or on this day (UTC). */
                "filter[created_at]"?: components["parameters"]["filter_created_at"];
                /** @description Only those whose `created_at` is this time or on this day (UTC). */
                "filter[created_at][eq]"?: components["parameters"]["filter_created_at_eq"];
                /** @description Only those whose `created_at` is another time or on another day (UTC). */
                "filter[created_at][ne]"?: components["parameters"]["filter_created_at_ne"];
                /** @description Only those whose `created_at` is before this time or day (UTC). */
                "filter[created_at][lt]"?: components["parameters"]["filter_created_at_lt"];
                /** @description Only those whose `created_at` is this time or earlier, or not after this day (UTC). */
                "filter[created_at][lte]"?: components["parameters"]["filter_created_at_lte"];
                /** @description Only those whose `created_at` is after this time or day (UTC). */
                "filter[created_at][gt]"?: components["parameters"]["filter_created_at_gt"];
                /** @description Only those whose `created_at` is this time or later, or not before this day (UTC). */
                "filter[created_at][gte]"?: components["parameters"]["filter_created_at_gte"];
                /** @description Only those whose `created_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[created_at][in]"?: components["parameters"]["filter_created_at_in"];
                /** @description Only those whose `created_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[created_at][nin]"?: components["parameters"]["filter_created_at_nin"];
                /** @description Only those whose `updated_at` is this time or on this day (UTC). */
                "filter[updated_at]"?: components["parameters"]["filter_updated_at"];
                /** @description Only those whose `updated_at` is this time or on this day (UTC). */
                "filter[updated_at][eq]"?: components["parameters"]["filter_updated_at_eq"];
                /** @description Only those whose `updated_at` is another time or on another day (UTC). */
                "filter[updated_at][ne]"?: components["parameters"]["filter_updated_at_ne"];
                /** @description Only those whose `updated_at` is before this time or day (UTC). */
                "filter[updated_at][lt]"?: components["parameters"]["filter_updated_at_lt"];
                /** @description Only those whose `updated_at` is this time or earlier, or not after this day (UTC). */
                "filter[updated_at][lte]"?: components["parameters"]["filter_updated_at_lte"];
                /** @description Only those whose `updated_at` is after this time or day (UTC). */
                "filter[updated_at][gt]"?: components["parameters"]["filter_updated_at_gt"];
                /** @description Only those whose `updated_at` is this time or later, or not before this day (UTC). */
                "filter[updated_at][gte]"?: components["parameters"]["filter_updated_at_gte"];
                /** @description Only those whose `updated_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[updated_at][in]"?: components["parameters"]["filter_updated_at_in"];
                /** @description Only those whose `updated_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[updated_at][nin]"?: components["parameters"]["filter_updated_at_nin"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: components["parameters"]["user_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, oldest first unless `sort` says otherwise. If more items would make the answer too large, it has fewer than `limit` items and a next page. */
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
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["outside_identity_with_relations"] | components["schemas"]["outside_identity_with_relations_selection"])[];
                };
            };
            304: components["responses"]["r304_Content-Location_deprecated"];
            400: components["responses"]["r400_list_deprecated"];
            401: components["responses"]["r401_deprecated"];
            403: components["responses"]["r403_deprecated"];
            404: components["responses"]["r404_deprecated"];
            410: components["responses"]["r410_gone"];
            412: components["responses"]["r412_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_query_too_slow_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "posts.list": {
        parameters: {
            query?: {
                /** @description The greatest number of items. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, with the same sort and filter. */
                cursor?: components["parameters"]["cursor"];
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: components["parameters"]["total"];
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["post_fields"];
                /** @description Related rows to answer with, comma-separated, as far as you may read them: author, author.posts, comments, comments.post, comments.author. Of many the first 20 come. */
                include?: components["parameters"]["post_include"];
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: components["parameters"]["fields_users"];
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: components["parameters"]["fields_posts"];
                /** @description The same for included comments; only together with `include`. */
                "fields[comments]"?: components["parameters"]["fields_comments"];
                /** @description Up to 3 fields to order by, comma-separated, with `-` in front for descending. Default: `id`, oldest first. Text is ordered by code point; what has no value comes last. Fields: id, title, published_at, created_at, updated_at. */
                sort?: components["parameters"]["post_sort"];
                /** @description Only those whose `id` is this. */
                "filter[id]"?: components["parameters"]["filter_id"];
                /** @description Only those whose `id` is this. */
                "filter[id][eq]"?: components["parameters"]["filter_id_eq"];
                /** @description Only those whose `id` has a value other than this. */
                "filter[id][ne]"?: components["parameters"]["filter_id_ne"];
                /** @description Only those whose `id` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[id][in]"?: components["parameters"]["filter_id_in"];
                /** @description Only those whose `id` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[id][nin]"?: components["parameters"]["filter_id_nin"];
                /** @description Only those whose `title` is this. */
                "filter[title]"?: components["parameters"]["post_filter_title"];
                /** @description Only those whose `title` is this. */
                "filter[title][eq]"?: components["parameters"]["post_filter_title_eq"];
                /** @description Only those whose `title` has a value other than this. */
                "filter[title][ne]"?: components["parameters"]["post_filter_title_ne"];
                /** @description Only those whose `title` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[title][in]"?: components["parameters"]["post_filter_title_in"];
                /** @description Only those whose `title` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[title][nin]"?: components["parameters"]["post_filter_title_nin"];
                /** @description Only those whose `title` contains this text; A to Z match a to z, and other letters only themselves. */
                "filter[title][contains]"?: components["parameters"]["post_filter_title_contains"];
                /** @description Only those whose `title` begins with this text; A to Z match a to z, and other letters only themselves. */
                "filter[title][starts_with]"?: components["parameters"]["post_filter_title_starts_with"];
                /** @description Only those whose `status` is this. */
                "filter[status]"?: components["parameters"]["post_filter_status"];
                /** @description Only those whose `status` is this. */
                "filter[status][eq]"?: components["parameters"]["post_filter_status_eq"];
                /** @description Only those whose `status` has a value other than this. */
                "filter[status][ne]"?: components["parameters"]["post_filter_status_ne"];
                /** @description Only those whose `status` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[status][in]"?: components["parameters"]["post_filter_status_in"];
                /** @description Only those whose `status` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[status][nin]"?: components["parameters"]["post_filter_status_nin"];
                /** @description Only those whose `published_at` is this time or on this day (UTC). */
                "filter[published_at]"?: components["parameters"]["post_filter_published_at"];
                /** @description Only those whose `published_at` is this time or on this day (UTC). */
                "filter[published_at][eq]"?: components["parameters"]["post_filter_published_at_eq"];
                /** @description Only those whose `published_at` is another time or on another day (UTC). */
                "filter[published_at][ne]"?: components["parameters"]["post_filter_published_at_ne"];
                /** @description Only those whose `published_at` is before this time or day (UTC). */
                "filter[published_at][lt]"?: components["parameters"]["post_filter_published_at_lt"];
                /** @description Only those whose `published_at` is this time or earlier, or not after this day (UTC). */
                "filter[published_at][lte]"?: components["parameters"]["post_filter_published_at_lte"];
                /** @description Only those whose `published_at` is after this time or day (UTC). */
                "filter[published_at][gt]"?: components["parameters"]["post_filter_published_at_gt"];
                /** @description Only those whose `published_at` is this time or later, or not before this day (UTC). */
                "filter[published_at][gte]"?: components["parameters"]["post_filter_published_at_gte"];
                /** @description Only those whose `published_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[published_at][in]"?: components["parameters"]["post_filter_published_at_in"];
                /** @description Only those whose `published_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[published_at][nin]"?: components["parameters"]["post_filter_published_at_nin"];
                /** @description Only those whose `published_at` has no value (`true`) or has a value (`false`). */
                "filter[published_at][null]"?: components["parameters"]["post_filter_published_at_null"];
                /** @description Only those whose `created_at` is this time or on this day (UTC). */
                "filter[created_at]"?: components["parameters"]["filter_created_at"];
                /** @description Only those whose `created_at` is this time or on this day (UTC). */
                "filter[created_at][eq]"?: components["parameters"]["filter_created_at_eq"];
                /** @description Only those whose `created_at` is another time or on another day (UTC). */
                "filter[created_at][ne]"?: components["parameters"]["filter_created_at_ne"];
                /** @description Only those whose `created_at` is before this time or day (UTC). */
                "filter[created_at][lt]"?: components["parameters"]["filter_created_at_lt"];
                /** @description Only those whose `created_at` is this time or earlier, or not after this day (UTC). */
                "filter[created_at][lte]"?: components["parameters"]["filter_created_at_lte"];
                /** @description Only those whose `created_at` is after this time or day (UTC). */
                "filter[created_at][gt]"?: components["parameters"]["filter_created_at_gt"];
                /** @description Only those whose `created_at` is this time or later, or not before this day (UTC). */
                "filter[created_at][gte]"?: components["parameters"]["filter_created_at_gte"];
                /** @description Only those whose `created_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[created_at][in]"?: components["parameters"]["filter_created_at_in"];
                /** @description Only those whose `created_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[created_at][nin]"?: components["parameters"]["filter_created_at_nin"];
                /** @description Only those whose `updated_at` is this time or on this day (UTC). */
                "filter[updated_at]"?: components["parameters"]["filter_updated_at"];
                /** @description Only those whose `updated_at` is this time or on this day (UTC). */
                "filter[updated_at][eq]"?: components["parameters"]["filter_updated_at_eq"];
                /** @description Only those whose `updated_at` is another time or on another day (UTC). */
                "filter[updated_at][ne]"?: components["parameters"]["filter_updated_at_ne"];
                /** @description Only those whose `updated_at` is before this time or day (UTC). */
                "filter[updated_at][lt]"?: components["parameters"]["filter_updated_at_lt"];
                /** @description Only those whose `updated_at` is this time or earlier, or not after this day (UTC). */
                "filter[updated_at][lte]"?: components["parameters"]["filter_updated_at_lte"];
                /** @description Only those whose `updated_at` is after this time or day (UTC). */
                "filter[updated_at][gt]"?: components["parameters"]["filter_updated_at_gt"];
                /** @description Only those whose `updated_at` is this time or later, or not before this day (UTC). */
                "filter[updated_at][gte]"?: components["parameters"]["filter_updated_at_gte"];
                /** @description Only those whose `updated_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[updated_at][in]"?: components["parameters"]["filter_updated_at_in"];
                /** @description Only those whose `updated_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[updated_at][nin]"?: components["parameters"]["filter_updated_at_nin"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: components["parameters"]["user_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, oldest first unless `sort` says otherwise. If more items would make the answer too large, it has fewer than `limit` items and a next page. */
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
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["post_with_relations"] | components["schemas"]["post_with_relations_selection"])[];
                };
            };
            304: components["responses"]["r304_Content-Location_deprecated"];
            400: components["responses"]["r400_list_deprecated"];
            401: components["responses"]["r401_deprecated"];
            403: components["responses"]["r403_deprecated"];
            404: components["responses"]["r404_deprecated"];
            410: components["responses"]["r410_gone"];
            412: components["responses"]["r412_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_query_too_slow_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "posts.create": {
        parameters: {
            query?: {
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["post_fields"];
            };
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `return=minimal` asks for 204 without the row (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: components["parameters"]["user_id"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "On the Analytical Engine",
                 *       "content": "It weaves algebraic patterns.",
                 *       "status": "published"
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
                    "application/json": components["schemas"]["post"] | components["schemas"]["post_selection"];
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
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["r400_body_field_read_only_invalid_fields"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_conflict_quota_exceeded_state_conflict"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "posts.list-all": {
        parameters: {
            query?: {
                /** @description The greatest number of items. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, with the same sort and filter. */
                cursor?: components["parameters"]["cursor"];
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: components["parameters"]["total"];
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["post_fields"];
                /** @description Related rows to answer with, comma-separated, as far as you may read them: author, author.posts, comments, comments.post, comments.author. Of many the first 20 come. */
                include?: components["parameters"]["post_include"];
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: components["parameters"]["fields_users"];
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: components["parameters"]["fields_posts"];
                /** @description The same for included comments; only together with `include`. */
                "fields[comments]"?: components["parameters"]["fields_comments"];
                /** @description Up to 3 fields to order by, comma-separated, with `-` in front for descending. Default: `id`, oldest first. Text is ordered by code point; what has no value comes last. Fields: id, title, published_at, created_at, updated_at. */
                sort?: components["parameters"]["post_sort"];
                /** @description Only those whose `id` is this. */
                "filter[id]"?: components["parameters"]["filter_id"];
                /** @description Only those whose `id` is this. */
                "filter[id][eq]"?: components["parameters"]["filter_id_eq"];
                /** @description Only those whose `id` has a value other than this. */
                "filter[id][ne]"?: components["parameters"]["filter_id_ne"];
                /** @description Only those whose `id` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[id][in]"?: components["parameters"]["filter_id_in"];
                /** @description Only those whose `id` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[id][nin]"?: components["parameters"]["filter_id_nin"];
                /** @description Only those whose `title` is this. */
                "filter[title]"?: components["parameters"]["post_filter_title"];
                /** @description Only those whose `title` is this. */
                "filter[title][eq]"?: components["parameters"]["post_filter_title_eq"];
                /** @description Only those whose `title` has a value other than this. */
                "filter[title][ne]"?: components["parameters"]["post_filter_title_ne"];
                /** @description Only those whose `title` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[title][in]"?: components["parameters"]["post_filter_title_in"];
                /** @description Only those whose `title` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[title][nin]"?: components["parameters"]["post_filter_title_nin"];
                /** @description Only those whose `title` contains this text; A to Z match a to z, and other letters only themselves. */
                "filter[title][contains]"?: components["parameters"]["post_filter_title_contains"];
                /** @description Only those whose `title` begins with this text; A to Z match a to z, and other letters only themselves. */
                "filter[title][starts_with]"?: components["parameters"]["post_filter_title_starts_with"];
                /** @description Only those whose `status` is this. */
                "filter[status]"?: components["parameters"]["post_filter_status"];
                /** @description Only those whose `status` is this. */
                "filter[status][eq]"?: components["parameters"]["post_filter_status_eq"];
                /** @description Only those whose `status` has a value other than this. */
                "filter[status][ne]"?: components["parameters"]["post_filter_status_ne"];
                /** @description Only those whose `status` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[status][in]"?: components["parameters"]["post_filter_status_in"];
                /** @description Only those whose `status` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[status][nin]"?: components["parameters"]["post_filter_status_nin"];
                /** @description Only those whose `published_at` is this time or on this day (UTC). */
                "filter[published_at]"?: components["parameters"]["post_filter_published_at"];
                /** @description Only those whose `published_at` is this time or on this day (UTC). */
                "filter[published_at][eq]"?: components["parameters"]["post_filter_published_at_eq"];
                /** @description Only those whose `published_at` is another time or on another day (UTC). */
                "filter[published_at][ne]"?: components["parameters"]["post_filter_published_at_ne"];
                /** @description Only those whose `published_at` is before this time or day (UTC). */
                "filter[published_at][lt]"?: components["parameters"]["post_filter_published_at_lt"];
                /** @description Only those whose `published_at` is this time or earlier, or not after this day (UTC). */
                "filter[published_at][lte]"?: components["parameters"]["post_filter_published_at_lte"];
                /** @description Only those whose `published_at` is after this time or day (UTC). */
                "filter[published_at][gt]"?: components["parameters"]["post_filter_published_at_gt"];
                /** @description Only those whose `published_at` is this time or later, or not before this day (UTC). */
                "filter[published_at][gte]"?: components["parameters"]["post_filter_published_at_gte"];
                /** @description Only those whose `published_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[published_at][in]"?: components["parameters"]["post_filter_published_at_in"];
                /** @description Only those whose `published_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[published_at][nin]"?: components["parameters"]["post_filter_published_at_nin"];
                /** @description Only those whose `published_at` has no value (`true`) or has a value (`false`). */
                "filter[published_at][null]"?: components["parameters"]["post_filter_published_at_null"];
                /** @description Only those whose `created_at` is this time or on this day (UTC). */
                "filter[created_at]"?: components["parameters"]["filter_created_at"];
                /** @description Only those whose `created_at` is this time or on this day (UTC). */
                "filter[created_at][eq]"?: components["parameters"]["filter_created_at_eq"];
                /** @description Only those whose `created_at` is another time or on another day (UTC). */
                "filter[created_at][ne]"?: components["parameters"]["filter_created_at_ne"];
                /** @description Only those whose `created_at` is before this time or day (UTC). */
                "filter[created_at][lt]"?: components["parameters"]["filter_created_at_lt"];
                /** @description Only those whose `created_at` is this time or earlier, or not after this day (UTC). */
                "filter[created_at][lte]"?: components["parameters"]["filter_created_at_lte"];
                /** @description Only those whose `created_at` is after this time or day (UTC). */
                "filter[created_at][gt]"?: components["parameters"]["filter_created_at_gt"];
                /** @description Only those whose `created_at` is this time or later, or not before this day (UTC). */
                "filter[created_at][gte]"?: components["parameters"]["filter_created_at_gte"];
                /** @description Only those whose `created_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[created_at][in]"?: components["parameters"]["filter_created_at_in"];
                /** @description Only those whose `created_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[created_at][nin]"?: components["parameters"]["filter_created_at_nin"];
                /** @description Only those whose `updated_at` is this time or on this day (UTC). */
                "filter[updated_at]"?: components["parameters"]["filter_updated_at"];
                /** @description Only those whose `updated_at` is this time or on this day (UTC). */
                "filter[updated_at][eq]"?: components["parameters"]["filter_updated_at_eq"];
                /** @description Only those whose `updated_at` is another time or on another day (UTC). */
                "filter[updated_at][ne]"?: components["parameters"]["filter_updated_at_ne"];
                /** @description Only those whose `updated_at` is before this time or day (UTC). */
                "filter[updated_at][lt]"?: components["parameters"]["filter_updated_at_lt"];
                /** @description Only those whose `updated_at` is this time or earlier, or not after this day (UTC). */
                "filter[updated_at][lte]"?: components["parameters"]["filter_updated_at_lte"];
                /** @description Only those whose `updated_at` is after this time or day (UTC). */
                "filter[updated_at][gt]"?: components["parameters"]["filter_updated_at_gt"];
                /** @description Only those whose `updated_at` is this time or later, or not before this day (UTC). */
                "filter[updated_at][gte]"?: components["parameters"]["filter_updated_at_gte"];
                /** @description Only those whose `updated_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[updated_at][in]"?: components["parameters"]["filter_updated_at_in"];
                /** @description Only those whose `updated_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[updated_at][nin]"?: components["parameters"]["filter_updated_at_nin"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, oldest first unless `sort` says otherwise. If more items would make the answer too large, it has fewer than `limit` items and a next page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["post_with_relations"] | components["schemas"]["post_with_relations_selection"])[];
                };
            };
            304: components["responses"]["r304_deprecated"];
            400: components["responses"]["r400_list_deprecated"];
            401: components["responses"]["r401_deprecated"];
            403: components["responses"]["r403_deprecated"];
            410: components["responses"]["r410_gone"];
            412: components["responses"]["r412_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_query_too_slow_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "posts.create-own": {
        parameters: {
            query?: {
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["post_fields"];
            };
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `return=minimal` asks for 204 without the row (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "On the Analytical Engine",
                 *       "content": "It weaves algebraic patterns.",
                 *       "status": "published",
                 *       "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a"
                 *     }
                 */
                "application/json": components["schemas"]["post_create_own"];
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
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["post"] | components["schemas"]["post_selection"];
                };
            };
            204: components["responses"]["r204_minimal_Idempotency-Replayed_Location"];
            400: components["responses"]["r400_body_field_read_only_invalid_fields"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_conflict_quota_exceeded_state_conflict"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "posts.read": {
        parameters: {
            query?: {
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["post_fields"];
                /** @description Related rows to answer with, comma-separated, as far as you may read them: author, author.posts, comments, comments.post, comments.author. Of many the first 20 come. */
                include?: components["parameters"]["post_include"];
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: components["parameters"]["fields_users"];
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: components["parameters"]["fields_posts"];
                /** @description The same for included comments; only together with `include`. */
                "fields[comments]"?: components["parameters"]["fields_comments"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id of the post. */
                id: components["parameters"]["post_id"];
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
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["post_with_relations"] | components["schemas"]["post_with_relations_selection"];
                };
            };
            304: components["responses"]["r304_deprecated"];
            400: components["responses"]["r400_row_deprecated"];
            401: components["responses"]["r401_deprecated"];
            403: components["responses"]["r403_deprecated"];
            404: components["responses"]["r404_deprecated"];
            410: components["responses"]["r410_gone"];
            412: components["responses"]["r412_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "posts.replace": {
        parameters: {
            query?: {
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["post_fields"];
            };
            header?: {
                /** @description The `ETag` of the row that you read: the write happens only if the row has not changed since. `*` writes in any case. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `*` creates the row: 201 if it did not exist, 412 if it does. It replaces `If-Match`. */
                "If-None-Match"?: components["parameters"]["If-None-Match_create"];
                /** @description `return=minimal` asks for 204 without the row (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description The id of the post. */
                id: components["parameters"]["post_id"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "On the Analytical Engine",
                 *       "content": "It weaves algebraic patterns.",
                 *       "status": "published"
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
                    "application/json": components["schemas"]["post"] | components["schemas"]["post_selection"];
                };
            };
            /** @description The new post: nothing was there, as `If-None-Match: *` demands. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["post"] | components["schemas"]["post_selection"];
                };
            };
            204: components["responses"]["r204_minimal_Location"];
            400: components["responses"]["r400_body_field_read_only_invalid_fields"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_conflict_quota_exceeded_state_conflict"];
            412: components["responses"]["r412"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            428: components["responses"]["r428"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "posts.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the row that you read: the write happens only if the row has not changed since. `*` writes in any case. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id of the post. */
                id: components["parameters"]["post_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["r204_it_is_gone"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key"];
            412: components["responses"]["r412"];
            422: components["responses"]["r422"];
            428: components["responses"]["r428"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "posts.update": {
        parameters: {
            query?: {
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["post_fields"];
            };
            header?: {
                /** @description The `ETag` of the row that you read: the write happens only if the row has not changed since. `*` writes in any case. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `return=minimal` asks for 204 without the row (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description The id of the post. */
                id: components["parameters"]["post_id"];
            };
            cookie?: never;
        };
        /** @description The members to change; null removes one. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "On the Analytical Engine",
                 *       "content": "It weaves algebraic patterns.",
                 *       "status": "published"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["post_update"];
                /**
                 * @example {
                 *       "title": "On the Analytical Engine",
                 *       "content": "It weaves algebraic patterns.",
                 *       "status": "published"
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
                    "application/json": components["schemas"]["post"] | components["schemas"]["post_selection"];
                };
            };
            204: components["responses"]["r204_minimal_Idempotency-Replayed"];
            400: components["responses"]["r400_body_field_read_only_invalid_fields"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_conflict_quota_exceeded_state_conflict"];
            412: components["responses"]["r412"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            428: components["responses"]["r428"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "comments.list": {
        parameters: {
            query?: {
                /** @description The greatest number of items. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, with the same sort and filter. */
                cursor?: components["parameters"]["cursor"];
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: components["parameters"]["total"];
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["comment_fields"];
                /** @description Related rows to answer with, comma-separated, as far as you may read them: post, post.author, post.comments, author, author.posts. Of many the first 20 come. */
                include?: components["parameters"]["comment_include"];
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: components["parameters"]["fields_posts"];
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: components["parameters"]["fields_users"];
                /** @description The same for included comments; only together with `include`. */
                "fields[comments]"?: components["parameters"]["fields_comments"];
                /** @description Up to 3 fields to order by, comma-separated, with `-` in front for descending. Default: `id`, oldest first. Text is ordered by code point; what has no value comes last. Fields: id, created_at, updated_at. */
                sort?: components["parameters"]["sort"];
                /** @description Only those whose `id` is this. */
                "filter[id]"?: components["parameters"]["filter_id"];
                /** @description Only those whose `id` is this. */
                "filter[id][eq]"?: components["parameters"]["filter_id_eq"];
                /** @description Only those whose `id` has a value other than this. */
                "filter[id][ne]"?: components["parameters"]["filter_id_ne"];
                /** @description Only those whose `id` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[id][in]"?: components["parameters"]["filter_id_in"];
                /** @description Only those whose `id` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[id][nin]"?: components["parameters"]["filter_id_nin"];
                /** @description Only those whose `user_id` is this. */
                "filter[user_id]"?: components["parameters"]["filter_user_id"];
                /** @description Only those whose `user_id` is this. */
                "filter[user_id][eq]"?: components["parameters"]["filter_user_id_eq"];
                /** @description Only those whose `user_id` has a value other than this. */
                "filter[user_id][ne]"?: components["parameters"]["filter_user_id_ne"];
                /** @description Only those whose `user_id` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[user_id][in]"?: components["parameters"]["filter_user_id_in"];
                /** @description Only those whose `user_id` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[user_id][nin]"?: components["parameters"]["filter_user_id_nin"];
                /** @description Only those whose `created_at` is this time or on this day (UTC). */
                "filter[created_at]"?: components["parameters"]["filter_created_at"];
                /** @description Only those whose `created_at` is this time or on this day (UTC). */
                "filter[created_at][eq]"?: components["parameters"]["filter_created_at_eq"];
                /** @description Only those whose `created_at` is another time or on another day (UTC). */
                "filter[created_at][ne]"?: components["parameters"]["filter_created_at_ne"];
                /** @description Only those whose `created_at` is before this time or day (UTC). */
                "filter[created_at][lt]"?: components["parameters"]["filter_created_at_lt"];
                /** @description Only those whose `created_at` is this time or earlier, or not after this day (UTC). */
                "filter[created_at][lte]"?: components["parameters"]["filter_created_at_lte"];
                /** @description Only those whose `created_at` is after this time or day (UTC). */
                "filter[created_at][gt]"?: components["parameters"]["filter_created_at_gt"];
                /** @description Only those whose `created_at` is this time or later, or not before this day (UTC). */
                "filter[created_at][gte]"?: components["parameters"]["filter_created_at_gte"];
                /** @description Only those whose `created_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[created_at][in]"?: components["parameters"]["filter_created_at_in"];
                /** @description Only those whose `created_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[created_at][nin]"?: components["parameters"]["filter_created_at_nin"];
                /** @description Only those whose `updated_at` is this time or on this day (UTC). */
                "filter[updated_at]"?: components["parameters"]["filter_updated_at"];
                /** @description Only those whose `updated_at` is this time or on this day (UTC). */
                "filter[updated_at][eq]"?: components["parameters"]["filter_updated_at_eq"];
                /** @description Only those whose `updated_at` is another time or on another day (UTC). */
                "filter[updated_at][ne]"?: components["parameters"]["filter_updated_at_ne"];
                /** @description Only those whose `updated_at` is before this time or day (UTC). */
                "filter[updated_at][lt]"?: components["parameters"]["filter_updated_at_lt"];
                /** @description Only those whose `updated_at` is this time or earlier, or not after this day (UTC). */
                "filter[updated_at][lte]"?: components["parameters"]["filter_updated_at_lte"];
                /** @description Only those whose `updated_at` is after this time or day (UTC). */
                "filter[updated_at][gt]"?: components["parameters"]["filter_updated_at_gt"];
                /** @description Only those whose `updated_at` is this time or later, or not before this day (UTC). */
                "filter[updated_at][gte]"?: components["parameters"]["filter_updated_at_gte"];
                /** @description Only those whose `updated_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[updated_at][in]"?: components["parameters"]["filter_updated_at_in"];
                /** @description Only those whose `updated_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[updated_at][nin]"?: components["parameters"]["filter_updated_at_nin"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id of the post. */
                id: components["parameters"]["post_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, oldest first unless `sort` says otherwise. If more items would make the answer too large, it has fewer than `limit` items and a next page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["comment_with_relations"] | components["schemas"]["comment_with_relations_selection"])[];
                };
            };
            304: components["responses"]["r304_deprecated"];
            400: components["responses"]["r400_list_deprecated"];
            401: components["responses"]["r401_deprecated"];
            403: components["responses"]["r403_deprecated"];
            404: components["responses"]["r404_deprecated"];
            410: components["responses"]["r410_gone"];
            412: components["responses"]["r412_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_query_too_slow_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "comments.create": {
        parameters: {
            query?: {
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["comment_fields"];
            };
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `return=minimal` asks for 204 without the row (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description The id of the post. */
                id: components["parameters"]["post_id"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": "Just as the loom weaves flowers."
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
                    "application/json": components["schemas"]["comment"] | components["schemas"]["comment_selection"];
                };
            };
            204: components["responses"]["r204_minimal_Idempotency-Replayed_Location"];
            400: components["responses"]["r400_body_field_read_only_invalid_fields"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_conflict_quota_exceeded_state_conflict"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "comments.read": {
        parameters: {
            query?: {
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["comment_fields"];
                /** @description Related rows to answer with, comma-separated, as far as you may read them: post, post.author, post.comments, author, author.posts. Of many the first 20 come. */
                include?: components["parameters"]["comment_include"];
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: components["parameters"]["fields_posts"];
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: components["parameters"]["fields_users"];
                /** @description The same for included comments; only together with `include`. */
                "fields[comments]"?: components["parameters"]["fields_comments"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id of the comment. */
                id: components["parameters"]["comment_id"];
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
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["comment_with_relations"] | components["schemas"]["comment_with_relations_selection"];
                };
            };
            304: components["responses"]["r304_deprecated"];
            400: components["responses"]["r400_row_deprecated"];
            401: components["responses"]["r401_deprecated"];
            403: components["responses"]["r403_deprecated"];
            404: components["responses"]["r404_deprecated"];
            410: components["responses"]["r410_gone"];
            412: components["responses"]["r412_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "comments.replace": {
        parameters: {
            query?: {
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["comment_fields"];
            };
            header?: {
                /** @description The `ETag` of the row that you read: the write happens only if the row has not changed since. `*` writes in any case. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `*` creates the row: 201 if it did not exist, 412 if it does. It replaces `If-Match`. */
                "If-None-Match"?: components["parameters"]["If-None-Match_create"];
                /** @description `return=minimal` asks for 204 without the row (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description The id of the comment. */
                id: components["parameters"]["comment_id"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": "Just as the loom weaves flowers."
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
                    "application/json": components["schemas"]["comment"] | components["schemas"]["comment_selection"];
                };
            };
            /** @description The new comment: nothing was there, as `If-None-Match: *` demands. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["comment"] | components["schemas"]["comment_selection"];
                };
            };
            204: components["responses"]["r204_minimal_Location"];
            400: components["responses"]["r400_body_field_read_only_invalid_fields"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_conflict_quota_exceeded_state_conflict"];
            412: components["responses"]["r412"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            428: components["responses"]["r428"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "comments.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the row that you read: the write happens only if the row has not changed since. `*` writes in any case. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id of the comment. */
                id: components["parameters"]["comment_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["r204_it_is_gone"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key"];
            412: components["responses"]["r412"];
            422: components["responses"]["r422"];
            428: components["responses"]["r428"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "comments.update": {
        parameters: {
            query?: {
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["comment_fields"];
            };
            header?: {
                /** @description The `ETag` of the row that you read: the write happens only if the row has not changed since. `*` writes in any case. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `return=minimal` asks for 204 without the row (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description The id of the comment. */
                id: components["parameters"]["comment_id"];
            };
            cookie?: never;
        };
        /** @description The members to change; null removes one. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": "Just as the loom weaves flowers."
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["comment_update"];
                /**
                 * @example {
                 *       "content": "Just as the loom weaves flowers."
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
                    "application/json": components["schemas"]["comment"] | components["schemas"]["comment_selection"];
                };
            };
            204: components["responses"]["r204_minimal_Idempotency-Replayed"];
            400: components["responses"]["r400_body_field_read_only_invalid_fields"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_conflict_quota_exceeded_state_conflict"];
            412: components["responses"]["r412"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            428: components["responses"]["r428"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "password-resets.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/json": {
                    /** @description The address to sign in with. */
                    email: string;
                };
            };
        };
        responses: {
            /** @description If the address has an account, a mail is on its way to it. */
            202: {
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
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401_public"];
            409: components["responses"]["r409_key"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "password-resets.finish": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The token in the path. */
                token: components["parameters"]["token_mailed"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "new_password": "correct horse battery",
                 *       "revoke_api_keys": false
                 *     }
                 */
                "application/json": {
                    /** @description 8 to 128 characters of any kind that are not easy to guess. */
                    new_password: string;
                    /** @description True ends all API keys of the user, too. Otherwise they stay valid: programs go on with them. Default: `false`. */
                    revoke_api_keys?: boolean;
                };
            };
        };
        responses: {
            204: components["responses"]["r204_set_every_session_of"];
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401_public"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "invitations.accept": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The token in the path. */
                token: components["parameters"]["token_mailed"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "new_password": "correct horse battery"
                 *     }
                 */
                "application/json": {
                    /** @description 8 to 128 characters of any kind that are not easy to guess. */
                    new_password: string;
                };
            };
        };
        responses: {
            204: components["responses"]["r204_set_every_session_of"];
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401_public"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "email-verifications.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description If the address is not verified yet, a mail is on its way to it. */
            202: {
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
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            409: components["responses"]["r409_key"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "email-verifications.finish": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The token in the path. */
                token: components["parameters"]["token_mailed"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The address is verified. */
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
            400: components["responses"]["r400"];
            401: components["responses"]["r401_public"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "sign-ups.finish": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The token in the path. */
                token: components["parameters"]["token_mailed"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new user. */
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
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["user"];
                };
            };
            /** @description `unknown_parameter`, `invalid_parameter`, `malformed_header`, `multiple_credentials`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            /** @description `invalid_token`, `token_expired`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            404: components["responses"]["r404_deprecated"];
            /** @description `conflict`, `quota_exceeded`, `idempotency_in_progress`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Retry-After": components["headers"]["Retry-After"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            410: components["responses"]["r410_gone"];
            422: components["responses"]["r422_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_storage_full_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "email-changes.finish": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The token in the path. */
                token: components["parameters"]["token_mailed"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account has the new address, and it is verified. */
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
            400: components["responses"]["r400"];
            401: components["responses"]["r401_public"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_conflict"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "second-factors.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: components["parameters"]["user_id"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "current_password": "correct horse battery"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Your password, unless you signed in within the last five minutes.
                     * @example correct horse battery
                     */
                    current_password?: string;
                };
            };
        };
        responses: {
            /** @description The secret for the authenticator app. Once you confirm it, every sign-in needs a code. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Content-Location": components["headers"]["Content-Location"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description In base 32, to be typed into the app. */
                        secret: string;
                        /** @description The same secret for a QR code: `otpauth://totp/…`. */
                        uri: string;
                    };
                };
            };
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401_invalid_credentials_sign_in_too_old"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "second-factors.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: components["parameters"]["user_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sign-ins need the password alone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Content-Location": components["headers"]["Content-Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["r400"];
            401: components["responses"]["r401_sign_in_too_old"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "second-factors.confirm": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: components["parameters"]["user_id"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "123456"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Six digits of the authenticator app, or a recovery code.
                     * @example 123456
                     */
                    code: string;
                };
            };
        };
        responses: {
            /** @description Sign-ins need the second factor from now on. The recovery codes are shown this once. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Content-Location": components["headers"]["Content-Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @example [
                         *       "MFRG-GZDF-MZTW-Q2LK",
                         *       "NNWG-23TP-OBYX-E43U"
                         *     ]
                         */
                        recovery_codes: string[];
                    };
                };
            };
            400: components["responses"]["r400_body"];
            /** @description `unauthenticated`, `invalid_token`, `token_expired`, `invalid_credentials`. */
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
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "exports.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: components["parameters"]["user_id"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * @description Your password, unless you signed in within the last five minutes.
                     * @example correct horse battery
                     */
                    current_password?: string;
                };
            };
        };
        responses: {
            /** @description The archive is being made. `Location` leads to its state. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Content-Location": components["headers"]["Content-Location"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["user_export"];
                };
            };
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401_invalid_credentials_sign_in_too_old"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "exports.read": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: components["parameters"]["user_id"];
                /** @description The exportId in the path. */
                exportId: components["parameters"]["exportId_uuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The export. */
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
                    "application/json": components["schemas"]["user_export"];
                };
            };
            304: components["responses"]["r304_Content-Location"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "exports.read-archive": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id of the user; `me` is yourself. */
                id: components["parameters"]["user_id"];
                /** @description The exportId in the path. */
                exportId: components["parameters"]["exportId_uuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archive of your data. */
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
                    "application/json": components["schemas"]["user_archive"];
                };
            };
            304: components["responses"]["r304_Content-Location"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_state_conflict"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "api-keys.list": {
        parameters: {
            query?: {
                /** @description The greatest number of items. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, with the same sort and filter. */
                cursor?: components["parameters"]["cursor"];
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: components["parameters"]["total"];
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["api_key_fields"];
                /** @description Related rows to answer with, comma-separated, as far as you may read them: user, user.posts. Of many the first 20 come. */
                include?: components["parameters"]["include"];
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: components["parameters"]["fields_users"];
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: components["parameters"]["fields_posts"];
                /** @description Up to 3 fields to order by, comma-separated, with `-` in front for descending. Default: `id`, oldest first. Text is ordered by code point; what has no value comes last. Fields: id, created_at, updated_at. */
                sort?: components["parameters"]["sort"];
                /** @description Only those whose `id` is this. */
                "filter[id]"?: components["parameters"]["filter_id"];
                /** @description Only those whose `id` is this. */
                "filter[id][eq]"?: components["parameters"]["filter_id_eq"];
                /** @description Only those whose `id` has a value other than this. */
                "filter[id][ne]"?: components["parameters"]["filter_id_ne"];
                /** @description Only those whose `id` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[id][in]"?: components["parameters"]["filter_id_in"];
                /** @description Only those whose `id` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[id][nin]"?: components["parameters"]["filter_id_nin"];
                /** @description Only those whose `user_id` is this. */
                "filter[user_id]"?: components["parameters"]["filter_user_id"];
                /** @description Only those whose `user_id` is this. */
                "filter[user_id][eq]"?: components["parameters"]["filter_user_id_eq"];
                /** @description Only those whose `user_id` has a value other than this. */
                "filter[user_id][ne]"?: components["parameters"]["filter_user_id_ne"];
                /** @description Only those whose `user_id` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[user_id][in]"?: components["parameters"]["filter_user_id_in"];
                /** @description Only those whose `user_id` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[user_id][nin]"?: components["parameters"]["filter_user_id_nin"];
                /** @description Only those whose `created_at` is this time or on this day (UTC). */
                "filter[created_at]"?: components["parameters"]["filter_created_at"];
                /** @description Only those whose `created_at` is this time or on this day (UTC). */
                "filter[created_at][eq]"?: components["parameters"]["filter_created_at_eq"];
                /** @description Only those whose `created_at` is another time or on another day (UTC). */
                "filter[created_at][ne]"?: components["parameters"]["filter_created_at_ne"];
                /** @description Only those whose `created_at` is before this time or day (UTC). */
                "filter[created_at][lt]"?: components["parameters"]["filter_created_at_lt"];
                /** @description Only those whose `created_at` is this time or earlier, or not after this day (UTC). */
                "filter[created_at][lte]"?: components["parameters"]["filter_created_at_lte"];
                /** @description Only those whose `created_at` is after this time or day (UTC). */
                "filter[created_at][gt]"?: components["parameters"]["filter_created_at_gt"];
                /** @description Only those whose `created_at` is this time or later, or not before this day (UTC). */
                "filter[created_at][gte]"?: components["parameters"]["filter_created_at_gte"];
                /** @description Only those whose `created_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[created_at][in]"?: components["parameters"]["filter_created_at_in"];
                /** @description Only those whose `created_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[created_at][nin]"?: components["parameters"]["filter_created_at_nin"];
                /** @description Only those whose `updated_at` is this time or on this day (UTC). */
                "filter[updated_at]"?: components["parameters"]["filter_updated_at"];
                /** @description Only those whose `updated_at` is this time or on this day (UTC). */
                "filter[updated_at][eq]"?: components["parameters"]["filter_updated_at_eq"];
                /** @description Only those whose `updated_at` is another time or on another day (UTC). */
                "filter[updated_at][ne]"?: components["parameters"]["filter_updated_at_ne"];
                /** @description Only those whose `updated_at` is before this time or day (UTC). */
                "filter[updated_at][lt]"?: components["parameters"]["filter_updated_at_lt"];
                /** @description Only those whose `updated_at` is this time or earlier, or not after this day (UTC). */
                "filter[updated_at][lte]"?: components["parameters"]["filter_updated_at_lte"];
                /** @description Only those whose `updated_at` is after this time or day (UTC). */
                "filter[updated_at][gt]"?: components["parameters"]["filter_updated_at_gt"];
                /** @description Only those whose `updated_at` is this time or later, or not before this day (UTC). */
                "filter[updated_at][gte]"?: components["parameters"]["filter_updated_at_gte"];
                /** @description Only those whose `updated_at` is one of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[updated_at][in]"?: components["parameters"]["filter_updated_at_in"];
                /** @description Only those whose `updated_at` has a value that is none of these, comma-separated (`%2C` within a value), 50 at the most. */
                "filter[updated_at][nin]"?: components["parameters"]["filter_updated_at_nin"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, oldest first unless `sort` says otherwise. If more items would make the answer too large, it has fewer than `limit` items and a next page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["api_key_with_relations"] | components["schemas"]["api_key_with_relations_selection"])[];
                };
            };
            304: components["responses"]["r304_deprecated"];
            400: components["responses"]["r400_list_deprecated"];
            401: components["responses"]["r401_deprecated"];
            403: components["responses"]["r403_deprecated"];
            410: components["responses"]["r410_gone"];
            412: components["responses"]["r412_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_query_too_slow_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "api-keys.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "nightly export",
                 *       "scopes": [
                 *         "posts:read"
                 *       ]
                 *     }
                 */
                "application/json": {
                    name: components["schemas"]["text_100"];
                    /**
                     * @description The scopes of the key; each operation names the scope that it needs.
                     * @example [
                     *       "posts:read"
                     *     ]
                     */
                    scopes: string[];
                    /** @description When it ends; null if it does not end. */
                    expires_at?: string | null;
                    /** @description The owner of the key. Default: you. Only administrators make keys for others. */
                    user_id?: components["schemas"]["uuid"];
                    /**
                     * @description Your password, unless you signed in within the last five minutes.
                     * @example correct horse battery
                     */
                    current_password?: string;
                };
            };
        };
        responses: {
            /** @description The key. */
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
                    "application/json": components["schemas"]["api_key_with_secret"];
                };
            };
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401_invalid_credentials_sign_in_too_old"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "api-keys.rotate": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id of the api key. */
                id: components["parameters"]["api_key_id"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlap_seconds": 3600
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: int32
                     * @description How long the old key stays valid. Default: a day; 0 ends it at once.
                     */
                    overlap_seconds?: number;
                    /** @description When the new key ends. Default: it lives as long as the old key was meant to. */
                    expires_at?: string | null;
                    /**
                     * @description Your password, unless you signed in within the last five minutes.
                     * @example correct horse battery
                     */
                    current_password?: string;
                };
            };
        };
        responses: {
            /** @description The new key, with the name and the scopes of the old one. */
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
                    "application/json": components["schemas"]["api_key_with_secret"];
                };
            };
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401_invalid_credentials_sign_in_too_old"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "api-keys.read": {
        parameters: {
            query?: {
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: components["parameters"]["api_key_fields"];
                /** @description Related rows to answer with, comma-separated, as far as you may read them: user, user.posts. Of many the first 20 come. */
                include?: components["parameters"]["include"];
                /** @description The same for included users; only together with `include`. */
                "fields[users]"?: components["parameters"]["fields_users"];
                /** @description The same for included posts; only together with `include`. */
                "fields[posts]"?: components["parameters"]["fields_posts"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id of the api key. */
                id: components["parameters"]["api_key_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The api key. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["api_key_with_relations"] | components["schemas"]["api_key_with_relations_selection"];
                };
            };
            304: components["responses"]["r304_deprecated"];
            400: components["responses"]["r400_row_deprecated"];
            401: components["responses"]["r401_deprecated"];
            403: components["responses"]["r403_deprecated"];
            404: components["responses"]["r404_deprecated"];
            410: components["responses"]["r410_gone"];
            412: components["responses"]["r412_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "api-keys.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id of the api key. */
                id: components["parameters"]["api_key_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is refused from now on. */
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
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "webhooks.receiveByGet": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The provider in the path. */
                provider: components["parameters"]["provider_sender"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event is stored, or was stored before: the answer is that of POST. Or it is the answer that the sender wants to its handshake. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            400: components["responses"]["r400_bad_request_webhook"];
            401: components["responses"]["r401_invalid_signature_webhook"];
            404: components["responses"]["r404_unknown_provider_webhook"];
            405: components["responses"]["r405_method_not_allowed_webhook"];
            409: components["responses"]["r409_state_conflict_webhook"];
            500: components["responses"]["r500_webhook"];
            503: components["responses"]["r503_storage_full_webhook"];
            default: components["responses"]["Other"];
        };
    };
    "webhooks.receiveByPut": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The provider in the path. */
                provider: components["parameters"]["provider_sender"];
            };
            cookie?: never;
        };
        /** @description The body as the sender sends it, byte for byte; the signature covers these bytes. */
        requestBody: {
            content: {
                "*/*": unknown;
            };
        };
        responses: {
            200: components["responses"]["r200_the_event_is_stored"];
            400: components["responses"]["r400_bad_request_webhook"];
            401: components["responses"]["r401_invalid_signature_webhook"];
            404: components["responses"]["r404_unknown_provider_webhook"];
            405: components["responses"]["r405_method_not_allowed_webhook"];
            409: components["responses"]["r409_state_conflict_webhook"];
            413: components["responses"]["r413_webhook"];
            415: components["responses"]["r415_webhook"];
            500: components["responses"]["r500_webhook"];
            503: components["responses"]["r503_storage_full_webhook"];
            default: components["responses"]["Other"];
        };
    };
    "webhooks.receive": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The provider in the path. */
                provider: components["parameters"]["provider_sender"];
            };
            cookie?: never;
        };
        /** @description The body as the sender sends it, byte for byte; the signature covers these bytes. */
        requestBody: {
            content: {
                "*/*": unknown;
            };
        };
        responses: {
            200: components["responses"]["r200_the_event_is_stored"];
            400: components["responses"]["r400_bad_request_webhook"];
            401: components["responses"]["r401_invalid_signature_webhook"];
            404: components["responses"]["r404_unknown_provider_webhook"];
            409: components["responses"]["r409_state_conflict_webhook"];
            413: components["responses"]["r413_webhook"];
            415: components["responses"]["r415_webhook"];
            500: components["responses"]["r500_webhook"];
            503: components["responses"]["r503_storage_full_webhook"];
            default: components["responses"]["Other"];
        };
    };
    "admin.signing-keys.list": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["signing_key"][];
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.signing-keys.rotate": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlap_seconds": 3600
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: int32
                     * @description How long tokens of the old key stay valid. Default: an hour. 0 refuses all earlier tokens at once, also those of keys that retired before.
                     * @example 3600
                     */
                    overlap_seconds?: number;
                };
            };
        };
        responses: {
            /** @description The key that signs now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["signing_key"];
                };
            };
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            409: components["responses"]["r409_key"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.clients.list": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["oauth_client"][];
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.clients.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "reporting",
                 *       "user_id": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                 *       "scopes": [
                 *         "posts:read"
                 *       ],
                 *       "grant_types": [
                 *         "client_credentials"
                 *       ]
                 *     }
                 */
                "application/json": {
                    name: components["schemas"]["text_100"];
                    /**
                     * @description Default: `confidential`.
                     * @enum {string}
                     */
                    kind?: "confidential" | "public";
                    /** @description The account that it acts for with client credentials. */
                    user_id: components["schemas"]["uuid"];
                    scopes: string[];
                    /** @description https URLs; http only for a loopback address or `localhost`; or the scheme of an app. They are compared character by character. A loopback address or `localhost` without a port stands for all its ports. Default: `[]`. */
                    redirect_uris?: string[];
                    /** @description How it may get tokens. Without them: `authorization_code` and `refresh_token` for a client with `redirect_uris`, `client_credentials` for one without. */
                    grant_types?: ("authorization_code" | "client_credentials" | "refresh_token")[];
                    /** @description Public keys with which it proves itself (`private_key_jwt`). It then has no secret. */
                    jwks?: components["schemas"]["oauth_client_keys"];
                };
            };
        };
        responses: {
            /** @description The client. */
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
                    "application/json": components["schemas"]["oauth_client_with_secret"];
                };
            };
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            409: components["responses"]["r409_key_state_conflict"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.clients.read": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_uuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The client. */
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
                    "application/json": components["schemas"]["oauth_client"];
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.clients.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_uuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["r204_its_tokens_are_no"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.clients.renew-secret": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_uuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The client, with its new secret. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["oauth_client_with_secret"];
                };
            };
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.clients.replace-keys": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_uuid"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "keys": [
                 *         {
                 *           "kty": "OKP",
                 *           "crv": "Ed25519",
                 *           "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
                 *           "kid": "2026-11"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["oauth_client_keys"];
            };
        };
        responses: {
            /** @description The client, with its new keys. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["oauth_client"];
                };
            };
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.clients.replace-grant-types": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_uuid"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_types": [
                 *         "client_credentials"
                 *       ]
                 *     }
                 */
                "application/json": {
                    grant_types: ("authorization_code" | "client_credentials" | "refresh_token")[];
                };
            };
        };
        responses: {
            /** @description The client, with these grant types. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["oauth_client"];
                };
            };
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.outside-identities.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_uuid"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": "248289761001",
                 *       "issuer": "https://id.example.com"
                 *     }
                 */
                "application/json": {
                    /** @description The `sub` of a person's tokens; of a program's, the `azp`, else `client_id`, else `sub`. */
                    subject: string;
                    /** @description Default: the outside issuer of this server. */
                    issuer?: string;
                    /** @description The client of this user that the program acts as. Without it, the link is for a person. */
                    client_id?: components["schemas"]["uuid"];
                };
            };
        };
        responses: {
            /** @description The link. */
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
                    "application/json": components["schemas"]["outside_identity"];
                };
            };
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401_sign_in_too_old"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_conflict"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.invitations.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Grace Hopper",
                 *       "email": "grace@example.com"
                 *     }
                 */
                "application/json": {
                    name: components["schemas"]["text_200"];
                    email: components["schemas"]["email"];
                    /** @enum {string} */
                    role?: "user" | "viewer" | "operator" | "admin";
                };
            };
        };
        responses: {
            /** @description The new user. The link is on its way to them by mail, or stands in `link`. */
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
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["invited_user"];
                };
            };
            /** @description `invalid_json`, `validation_failed`, `unknown_field`, `unknown_parameter`, `invalid_parameter`, `malformed_header`, `multiple_credentials`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            401: components["responses"]["r401_sign_in_too_old_deprecated"];
            403: components["responses"]["r403_forbidden_deprecated"];
            /** @description `conflict`, `state_conflict`, `idempotency_in_progress`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Retry-After": components["headers"]["Retry-After"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["problem"];
                };
            };
            410: components["responses"]["r410_gone"];
            413: components["responses"]["r413_deprecated"];
            415: components["responses"]["r415_deprecated"];
            422: components["responses"]["r422_deprecated"];
            429: components["responses"]["r429_deprecated"];
            500: components["responses"]["r500_deprecated"];
            503: components["responses"]["r503_storage_full_deprecated"];
            default: components["responses"]["Other"];
        };
    };
    "admin.me": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description You. */
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
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        name: string;
                        email: string;
                        role: string;
                        second_factor_at: string | null;
                        /** @description The scopes of operations below `/admin` that your role allows. Some take effect only with a second factor. */
                        scopes: string[];
                    };
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.events.list": {
        parameters: {
            query?: {
                /** @description The greatest number of items. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, with the same sort and filter. */
                cursor?: components["parameters"]["cursor"];
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: components["parameters"]["total"];
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: ("id" | "provider" | "event_id" | "type" | "state" | "reason" | "occurred_at" | "received_at" | "repeats" | "body_kept" | "actions")[];
                /** @description The order, with `-` in front for descending. Default: `-id`. */
                sort?: components["parameters"]["admin_sort"];
                /** @description Only those with this `filter[provider]`. */
                "filter[provider]"?: components["parameters"]["admin_filter_provider"];
                /** @description The sender's own id of the event. If any has it as the key by which repeats are told, only such events are answered. */
                "filter[event_id]"?: components["parameters"]["admin_filter_event_id"];
                /** @description The type, or a pattern in which `*` stands for any run of characters, such as `invoice.*`. */
                "filter[type]"?: components["parameters"]["admin_filter_type"];
                /** @description Only those with this `filter[state]`. */
                "filter[state]"?: "received" | "processing" | "retrying" | "processed" | "dead" | "cancelled" | "ignored" | "quarantined" | "discarded";
                /** @description Only events whose latest failure has this cause: an id of `GET /admin/causes`. */
                "filter[cause]"?: components["parameters"]["admin_filter_cause"];
                /** @description Only events received at this time or later. */
                "filter[received_at][gte]"?: components["schemas"]["date_time_8192_m7giwt"];
                /** @description Only events received before this time. */
                "filter[received_at][lt]"?: components["schemas"]["date_time_8192_m7giwt"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, newest first unless `sort` says otherwise. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["event"] | components["schemas"]["event_selection"])[];
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400_page"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.events.export": {
        parameters: {
            query?: {
                /** @description Only those with this `filter[provider]`. */
                "filter[provider]"?: components["parameters"]["admin_filter_provider"];
                /** @description The sender's own id of the event. If any has it as the key by which repeats are told, only such events are answered. */
                "filter[event_id]"?: components["parameters"]["admin_filter_event_id"];
                /** @description The type, or a pattern in which `*` stands for any run of characters, such as `invoice.*`. */
                "filter[type]"?: components["parameters"]["admin_filter_type"];
                /** @description Only those with this `filter[state]`. */
                "filter[state]"?: components["parameters"]["admin_filter_state"];
                /** @description Only events whose latest failure has this cause: an id of `GET /admin/causes`. */
                "filter[cause]"?: components["parameters"]["admin_filter_cause"];
                /** @description Only events received at this time or later. */
                "filter[received_at][gte]"?: components["parameters"]["admin_filter_received_at_gte"];
                /** @description Only events received before this time. */
                "filter[received_at][lt]"?: components["parameters"]["admin_filter_received_at_lt"];
                /** @description Only events before this one: `next` of the previous page. */
                before?: components["schemas"]["text_15"];
                /** @description The greatest number of items. */
                limit?: components["parameters"]["limit"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, newest first. It also ends behind the event with which its bodies have 4 MiB. */
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
                    "application/json": {
                        events: components["schemas"]["event_in_full"][];
                        /** @description Send it as `before` for the next page; null at the end. */
                        next: string | null;
                    };
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400_invalid_filter"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.events.read": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_number"];
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
                    "application/json": components["schemas"]["event_in_full"];
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.events.replay": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_number"];
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
                    /** @description Also replays an event that has been processed. Default: `false`. */
                    force?: boolean;
                    /** @description Also runs an event that lacks what its sender promises: an id, a type, a member, JSON. Needs `reason`. Bounds and schemas of handlers stay. Default: `false`. */
                    overrule?: boolean;
                    /**
                     * @description With `overrule`: why, for other administrators. It is kept with the event.
                     * @example sent in error
                     */
                    reason?: string;
                    /**
                     * @description With `overrule`: the type of an event to which its sender gave none.
                     * @example invoice.paid
                     */
                    as_type?: string;
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
                    "application/json": {
                        id: string;
                        /** Format: int64 */
                        jobs: number;
                    };
                };
            };
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.events.discard": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_number"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "sent in error"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Why, for other administrators. It is kept with the event.
                     * @example sent in error
                     */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description It is discarded. */
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
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.events.search": {
        parameters: {
            query: {
                /** @description The payload contains it as the sender sent it, byte for byte in UTF-8: a sender may write `ü` as `\u00fc`. Case counts. */
                text: string;
                /** @description Only those with this `filter[provider]`. */
                "filter[provider]"?: components["parameters"]["admin_filter_provider"];
                /** @description The sender's own id of the event. If any has it as the key by which repeats are told, only such events are answered. */
                "filter[event_id]"?: components["parameters"]["admin_filter_event_id"];
                /** @description The type, or a pattern in which `*` stands for any run of characters, such as `invoice.*`. */
                "filter[type]"?: components["parameters"]["admin_filter_type"];
                /** @description Only those with this `filter[state]`. */
                "filter[state]"?: components["parameters"]["admin_filter_state"];
                /** @description Only events whose latest failure has this cause: an id of `GET /admin/causes`. */
                "filter[cause]"?: components["parameters"]["admin_filter_cause"];
                /** @description Only events received at this time or later. */
                "filter[received_at][gte]"?: components["parameters"]["admin_filter_received_at_gte"];
                /** @description Only events received before this time. */
                "filter[received_at][lt]"?: components["parameters"]["admin_filter_received_at_lt"];
                /** @description Only events before this one: `next` of the previous search. */
                before?: components["schemas"]["text_15"];
                /** @description The greatest number of items. */
                limit?: components["parameters"]["limit"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was found, and how far the search came: it ends after 10,000 events or 2 seconds. */
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
                    "application/json": {
                        /** @description Newest first. */
                        events: {
                            id: string;
                            provider: string;
                            /** @description The sender's own id. */
                            event_id: string | null;
                            type: string | null;
                            /** @enum {string} */
                            state: "received" | "processing" | "retrying" | "processed" | "dead" | "cancelled" | "ignored" | "quarantined" | "discarded";
                            /** @description Why it was quarantined, ignored or discarded, or in one line the last error of the handler that gave it up or will try it again. Else, if its signed bytes came before under another id that is not signed, that id. */
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
                            /** @description False once its body and headers were deleted. It can then no longer be replayed. */
                            body_kept: boolean;
                            /** @description The ids of the operations that its state and your scopes allow. Each operation decides again when you call it. */
                            actions: string[];
                        }[];
                        /**
                         * Format: int32
                         * @description How many events that fit the filters were looked at, newest first.
                         */
                        looked_at: number;
                        /**
                         * Format: int32
                         * @description How many of these have no body any more, because its retention is over. They are not found.
                         */
                        without_body: number;
                        /** @description When the last of these was received. */
                        back_to: string | null;
                        /** @description Whether all events that fit the filters were looked at. */
                        complete: boolean;
                        /** @description Send it as `before` to go on where this search ended. */
                        next: string | null;
                    };
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400_invalid_filter"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.find": {
        parameters: {
            query: {
                /** @description An id of this server, a sender's own id of an event, or the name of a sender. */
                id: string;
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Everything that has this id. */
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
                    "application/json": {
                        data: {
                            /** @enum {string} */
                            kind: "event" | "job" | "plan" | "cause" | "provider" | "user" | "session" | "api_key" | "client" | "audit_entries";
                            id: string;
                            /** @description Its type, its handler or its name. */
                            title: string | null;
                            state: string | null;
                            /** @description When it came or was made. */
                            at: string | null;
                        }[];
                    };
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.jobs.list": {
        parameters: {
            query?: {
                /** @description The greatest number of items. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, with the same sort and filter. */
                cursor?: components["parameters"]["cursor"];
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: components["parameters"]["total"];
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: ("id" | "event_id" | "provider" | "handler" | "queue" | "priority" | "order_key" | "holds_order_key" | "state" | "attempt" | "max_attempts" | "losses" | "due_at" | "cancel_at" | "last_error" | "replay_of" | "created_at" | "started_at" | "finished_at" | "actions")[];
                /** @description The order, with `-` in front for descending. Default: `-id`. */
                sort?: components["parameters"]["admin_sort"];
                /** @description Only jobs about this event, by its id here. */
                "filter[event_id]"?: string;
                /** @description Only those with this `filter[handler]`. */
                "filter[handler]"?: string;
                /** @description Only those with this `filter[queue]`. */
                "filter[queue]"?: string;
                /** @description Only those with this `filter[state]`. */
                "filter[state]"?: "ready" | "scheduled" | "running" | "blocked" | "done" | "dead" | "cancelled";
                /** @description Only jobs whose latest failure has this cause: an id of `GET /admin/causes`. */
                "filter[cause]"?: string;
                /** @description Only jobs about an event of this sender. */
                "filter[provider]"?: string;
                /** @description Only jobs stored at this time or later. */
                "filter[created_at][gte]"?: components["schemas"]["date_time_8192_m7giwt"];
                /** @description Only jobs stored before this time. */
                "filter[created_at][lt]"?: components["schemas"]["date_time_8192_m7giwt"];
                /** @description `false` leaves out the server's own upkeep: the jobs of its schedules. `true` leaves out all others. */
                "filter[upkeep]"?: string;
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, newest first unless `sort` says otherwise. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["job"] | components["schemas"]["job_selection"])[];
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400_page"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.jobs.read": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_number"];
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
                    "application/json": components["schemas"]["job_in_full"];
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.jobs.neighbours": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_number"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The 5 before it and the 5 after it, the nearest first, of the 10,000 ids on each side. None if it has no order key. */
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
                    "application/json": {
                        before: components["schemas"]["job"][];
                        after: components["schemas"]["job"][];
                    };
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.jobs.retry": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_number"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job that will run: the same job, or the one that replaces it. */
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
                    "application/json": {
                        /** @example 4107 */
                        id: string;
                    };
                };
            };
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.jobs.cancel": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_number"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job was cancelled, or was asked to stop. */
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
                    "application/json": {
                        /** @example 4107 */
                        id: string;
                        /**
                         * @description `requested`: the job is running. It is cancelled, unless it finishes its work first.
                         * @enum {string}
                         */
                        outcome: "cancelled" | "requested";
                    };
                };
            };
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.causes.list": {
        parameters: {
            query?: {
                /** @description The greatest number of items. */
                limit?: components["parameters"]["limit"];
                /** @description Only failures from this time on. Default: all that are kept. */
                since?: components["schemas"]["date_time_8192_m7giwt"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Those with most failures. A failure counts for as long as its job is kept. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description For `filter[cause]` of events and jobs. */
                        id: string;
                        handler: string;
                        /** @description The name of the error; null if something else was thrown. */
                        error: string | null;
                        /** @description The message, with `#` in the place of numbers, ids, addresses and quoted values. */
                        message: string;
                        /** @description Where in the application's own code it failed: at most two frames of the stack. */
                        frames: string[];
                        /**
                         * Format: int64
                         * @description How many failed attempts.
                         */
                        failures: number;
                        /** @description Of all failed attempts in the time: 0.25 is a quarter. */
                        share: number;
                        /** Format: date-time */
                        first_at: string;
                        /** Format: date-time */
                        last_at: string;
                        /** @description The last failure of the newest event; without events, the last failure. */
                        example: {
                            /** @description The newest event that failed, by its id here. */
                            event_id: string | null;
                            job_id: string;
                            /** Format: date-time */
                            at: string;
                            /** @description The error as it was thrown, and below it its stack. */
                            error: string;
                        };
                    }[];
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.feed.read": {
        parameters: {
            query?: {
                /** @description Only these kinds, comma-separated: `event`, `job`, `alert`. */
                kind?: ("event" | "job" | "alert")[];
                /** @description Only events of this sender, their jobs, and alerts about it. */
                provider?: string;
                /** @description Only events of this type, and no jobs or alerts. */
                type?: string;
                /** @description Go on behind this entry, as `Last-Event-ID` does. `0` begins with the oldest that is kept. */
                after?: string;
            };
            header?: {
                /** @description The `id` of the last event that you have: the answer goes on behind it. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /**
             * @description Server-sent events, for as long as you stay:
             *
             *     - `event`: an event was stored; as `GET /admin/events` lists it, in the state of the moment.
             *     - `job`: an attempt failed: `id`, `event_id`, `provider`, `handler`, `attempt`, `state` (`scheduled` is tried again), `error`, `at`.
             *     - `alert`: `kind`, `text`, `details`, `at`.
             *     - `reset`: what came behind your `Last-Event-ID` is no longer known. List the events instead.
             *
             *     Send the last `id` as `Last-Event-ID`, to any node: nothing is missed and nothing comes twice. Entries are kept for a day. A comment comes every 15 seconds. After 10 minutes the answer ends, so that you show your key again. A process has at most 100 readers.
             */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.queues.list": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
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
                            /** @description Since when the longest-waiting job has been ready. */
                            oldest_ready_at: string | null;
                            /**
                             * Format: int64
                             * @description Jobs that run now.
                             */
                            running: number;
                            /**
                             * Format: int64
                             * @description Jobs that have ended in the last minute.
                             */
                            ended_last_minute: number;
                            /** @description How many of its jobs the running workers run at once at most. Null if a worker does not say, and without workers. */
                            at_once: number | null;
                            /** @description How many of its jobs start per second over all workers, at most; null without such a limit. */
                            per_second: number | null;
                            /**
                             * Format: int64
                             * @description How many running workers work it.
                             */
                            workers: number;
                        }[];
                    };
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.queues.pause": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The name in the path. */
                name: components["parameters"]["name_queue"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "note": "The mail server is being moved."
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Why it is paused, for other administrators.
                     * @example The mail server is being moved.
                     */
                    note?: string;
                };
            };
        };
        responses: {
            204: components["responses"]["r204_it_is_paused_on"];
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.queues.resume": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The name in the path. */
                name: components["parameters"]["name_queue"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queue is no longer paused. */
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
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.stats": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
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
                            /** @description Since when the longest-waiting job has been ready. */
                            oldest_ready_at: string | null;
                            /**
                             * Format: int64
                             * @description Jobs that run now.
                             */
                            running: number;
                            /**
                             * Format: int64
                             * @description Jobs that have ended in the last minute.
                             */
                            ended_last_minute: number;
                            /** @description How many of its jobs the running workers run at once at most. Null if a worker does not say, and without workers. */
                            at_once: number | null;
                            /** @description How many of its jobs start per second over all workers, at most; null without such a limit. */
                            per_second: number | null;
                            /**
                             * Format: int64
                             * @description How many running workers work it.
                             */
                            workers: number;
                        }[];
                        runners: {
                            id: string;
                            name: string;
                        }[];
                        deletions: {
                            /**
                             * Format: int64
                             * @description Deletions that are unfinished, because the deleted row had many rows below it.
                             */
                            unfinished: number;
                            /**
                             * Format: int32
                             * @description How many rows are still stored because of them, counted up to 10000. Nobody can see them.
                             */
                            rows_left: number;
                        };
                    };
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.schedules.list": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedules in the order of their declarations. */
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
                    "application/json": {
                        data: components["schemas"]["schedule"][];
                    };
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.schedules.pause": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The name in the path. */
                name: components["parameters"]["name_queue"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "note": "The mail server is being moved."
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Why it is paused, for other administrators.
                     * @example The mail server is being moved.
                     */
                    note?: string;
                };
            };
        };
        responses: {
            204: components["responses"]["r204_it_is_paused_on"];
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.schedules.resume": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The name in the path. */
                name: components["parameters"]["name_queue"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule is no longer paused. */
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
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.schedules.run": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The name in the path. */
                name: components["parameters"]["name_queue"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job that will run. The time that its handler gets is now. */
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
                    "application/json": {
                        /** @example 4711 */
                        id: string;
                    };
                };
            };
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.health": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
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
                    "application/json": {
                        /**
                         * @description The worst level of the facts. `stopped`: some work does not flow. `attention`: it flows, and somebody should look.
                         * @enum {string}
                         */
                        level: "ok" | "attention" | "stopped";
                        /** @description Whether work flows, and if not, what holds it. */
                        sentence: string;
                        /** @description The facts behind the sentence, the worst first. */
                        facts: {
                            /** @description What it is about, for programs: `refused`, `queue_limited`, `dead`. */
                            kind: string;
                            /** @enum {string} */
                            level: "ok" | "attention" | "stopped";
                            /** @description A sentence for people. */
                            text: string;
                            /** @description The page of the console that shows it: what stands behind `#` in its address. */
                            page: string;
                            /** @description The command that mends it, or what to do; null if nothing is wrong. */
                            mend: string | null;
                        }[];
                    };
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.counts": {
        parameters: {
            query?: {
                /** @description Default: an hour before `to`. */
                from?: components["parameters"]["from"];
                /** @description Default: now. */
                to?: components["parameters"]["to"];
                /** @description How long the buckets are. Minutes are kept for 7 days, hours for 90, days for 400. At most 1,500 are answered. Default: as fits the time. */
                step?: "minute" | "hour" | "day";
                /** @description Only this one's. */
                provider?: string;
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What happened. */
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
                    "application/json": {
                        /** @enum {string} */
                        step: "minute" | "hour" | "day";
                        /** Format: date-time */
                        from: string;
                        /** Format: date-time */
                        to: string;
                        /** @description Null for all of them, and all jobs. */
                        provider: string | null;
                        total: {
                            /**
                             * Format: int64
                             * @description Deliveries with a valid signature, repeats included.
                             */
                            received: number;
                            /**
                             * Format: int64
                             * @description Deliveries whose signature did not hold.
                             */
                            refused: number;
                            /** Format: int64 */
                            duplicate: number;
                            /** Format: int64 */
                            quarantined: number;
                            /**
                             * Format: int64
                             * @description Jobs that ended well.
                             */
                            processed: number;
                            /**
                             * Format: int64
                             * @description Jobs that were given up.
                             */
                            dead: number;
                            /**
                             * Format: int64
                             * @description Jobs of events that began more than a minute after the event was stored.
                             */
                            late: number;
                            /** @description How long processed jobs took from when they were stored to their end: half of them, 95 % and 99 % at most about so long, read from a histogram of fixed buckets. Null if there was none. */
                            latency_ms: {
                                about_p50: number;
                                about_p95: number;
                                about_p99: number;
                            } | null;
                            /**
                             * Format: int64
                             * @description The most jobs that waited at once, looked at once a minute.
                             */
                            waiting: number;
                            /** @description For how long the oldest of them had waited, at most. */
                            oldest_waiting_seconds: number;
                        };
                        /** @description Oldest first. Those in which nothing happened are left out. */
                        buckets: {
                            /**
                             * Format: date-time
                             * @description Where the bucket begins. Days begin at midnight UTC.
                             */
                            at: string;
                            /** @description True for the bucket that is not over yet. */
                            filling: boolean;
                            /**
                             * Format: int64
                             * @description Deliveries with a valid signature, repeats included.
                             */
                            received: number;
                            /**
                             * Format: int64
                             * @description Deliveries whose signature did not hold.
                             */
                            refused: number;
                            /** Format: int64 */
                            duplicate: number;
                            /** Format: int64 */
                            quarantined: number;
                            /**
                             * Format: int64
                             * @description Jobs that ended well.
                             */
                            processed: number;
                            /**
                             * Format: int64
                             * @description Jobs that were given up.
                             */
                            dead: number;
                            /**
                             * Format: int64
                             * @description Jobs of events that began more than a minute after the event was stored.
                             */
                            late: number;
                            /** @description How long processed jobs took from when they were stored to their end: half of them, 95 % and 99 % at most about so long, read from a histogram of fixed buckets. Null if there was none. */
                            latency_ms: {
                                about_p50: number;
                                about_p95: number;
                                about_p99: number;
                            } | null;
                            /**
                             * Format: int64
                             * @description The most jobs that waited at once, looked at once a minute.
                             */
                            waiting: number;
                            /** @description For how long the oldest of them had waited, at most. */
                            oldest_waiting_seconds: number;
                        }[];
                    };
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400_invalid_filter"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.counts-by-provider": {
        parameters: {
            query?: {
                /** @description Default: an hour before `to`. */
                from?: components["parameters"]["from"];
                /** @description Default: now. */
                to?: components["parameters"]["to"];
                /** @description How long the buckets are. Minutes are kept for 7 days, hours for 90, days for 400. At most 400 are added up of each sender. Default: as fits the time. */
                step?: "minute" | "hour" | "day";
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What happened, sender by sender. */
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
                    "application/json": {
                        /** @enum {string} */
                        step: "minute" | "hour" | "day";
                        /** Format: date-time */
                        from: string;
                        /** Format: date-time */
                        to: string;
                        /** @description False if something was counted of more than 200 senders. Those later by name are left out then. */
                        complete: boolean;
                        /** @description By name. Senders of which nothing was counted are left out. */
                        providers: {
                            provider: string;
                            /**
                             * Format: int64
                             * @description Deliveries with a valid signature, repeats included.
                             */
                            received: number;
                            /**
                             * Format: int64
                             * @description Deliveries whose signature did not hold.
                             */
                            refused: number;
                            /** Format: int64 */
                            duplicate: number;
                            /** Format: int64 */
                            quarantined: number;
                            /**
                             * Format: int64
                             * @description Jobs that ended well.
                             */
                            processed: number;
                            /**
                             * Format: int64
                             * @description Jobs that were given up.
                             */
                            dead: number;
                            /**
                             * Format: int64
                             * @description Jobs of events that began more than a minute after the event was stored.
                             */
                            late: number;
                            /** @description How long processed jobs took from when they were stored to their end: half of them, 95 % and 99 % at most about so long, read from a histogram of fixed buckets. Null if there was none. */
                            latency_ms: {
                                about_p50: number;
                                about_p95: number;
                                about_p99: number;
                            } | null;
                        }[];
                    };
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400_invalid_filter"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.providers.list": {
        parameters: {
            query?: {
                /** @description The greatest number of items. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, with the same sort and filter. */
                cursor?: components["parameters"]["cursor"];
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: components["parameters"]["total"];
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: ("name" | "scheme" | "title" | "source" | "path" | "tolerance_seconds" | "allow_short" | "dedupe" | "headers" | "replay_on_resend" | "keep_refused_bodies" | "jwks_url" | "settings" | "last_event_at" | "schema_types" | "keys")[];
                /** @description The order, with `-` in front for descending. Default: `name`. */
                sort?: "name" | "-name";
                /** @description Only those with this `filter[name]`. */
                "filter[name]"?: string;
                /** @description Only those with this `filter[scheme]`. */
                "filter[scheme]"?: string;
                /** @description Where the provider comes from. You can change providers of the configuration only there. */
                "filter[source]"?: "configuration" | "stored";
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, by name unless `sort` says otherwise. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["provider"] | components["schemas"]["provider_selection"])[];
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400_page"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.providers.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "acme",
                 *       "scheme": "standard-webhooks",
                 *       "key": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @description Default: the provider's name. */
                    scheme?: string;
                    /** @description In the sender's own notation: a secret or a public key. */
                    key?: string;
                    /** @description The sender's name for this key, if its messages name keys. */
                    key_id?: string;
                    /** @description The https URL of a key set, instead of a key. */
                    jwks_url?: string;
                    /** @description What the scheme needs besides keys. */
                    settings?: {
                        [key: string]: string | string[];
                    };
                    tolerance_seconds?: number;
                    /** @description Accepts secrets under 16 bytes. Only for a sender whose secret cannot be replaced. Default: `false`. */
                    allow_short?: boolean;
                    /** @description What makes a delivery a repeat. Default: the scheme decides. */
                    dedupe?: {
                        /** @constant */
                        by: "id";
                        /** @description The place of the id. Default: where the scheme has it. */
                        id?: string;
                    } | {
                        /** @constant */
                        by: "body";
                        /**
                         * Format: int32
                         * @description For how long the same body is a repeat. Default: the scheme's window, or a day.
                         */
                        window_seconds?: number;
                        /** @description What the sender changes when it tries again. Default: what the scheme says. */
                        without?: string[];
                    } | {
                        /** @constant */
                        by: "none";
                    };
                    /** @description Headers that are kept with its events beside those of its scheme: lower-case names, or beginnings with `*` behind them. A signature or secret is never kept, and neither are `authorization`, `proxy-authorization` and `cookie`. */
                    headers?: string[];
                    /** @description Runs a dead event again when its sender sends it again. Default: `false`. */
                    replay_on_resend?: boolean;
                    /** @description Keeps up to 64 KiB of the bodies of refused deliveries, for a day. Default: `false`. */
                    keep_refused_bodies?: boolean;
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
                    "application/json": components["schemas"]["provider"];
                };
            };
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            /** @description `conflict`, `state_conflict`, `idempotency_in_progress`. */
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
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.schemes.list": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them, by name. */
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
                    "application/json": {
                        data: {
                            name: string;
                            /** @description The sender's name as it writes it. */
                            title: string;
                        }[];
                    };
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.providers.read": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The name in the path. */
                name: components["parameters"]["name_sender"];
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
                    "application/json": components["schemas"]["provider"];
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.providers.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The name in the path. */
                name: components["parameters"]["name_sender"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its deliveries are refused from now on. */
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
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.providers.rotate": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The name in the path. */
                name: components["parameters"]["name_sender"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
                 *       "overlap_seconds": 86400
                 *     }
                 */
                "application/json": {
                    /** @description In the sender's own notation: a secret or a public key. */
                    key: string;
                    /** @description The sender's name for this key, if its messages name keys. */
                    key_id?: string;
                    /** @description When it becomes valid. Default: at once. */
                    not_before?: components["schemas"]["date_time_1q6ejuj"];
                    /**
                     * Format: int32
                     * @description How long the old keys stay valid beside it. Default: a day; 0 ends them at once.
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
                    "application/json": components["schemas"]["provider"];
                };
            };
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.providers.deleteKey": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The name in the path. */
                name: components["parameters"]["name_sender"];
                /** @description The id in the path. */
                id: components["parameters"]["id_uuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deliveries signed with it are refused from now on. */
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
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.events.replayMany": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "state": "dead",
                 *       "dry_run": true
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    state: "dead" | "cancelled" | "quarantined" | "ignored" | "discarded" | "processed";
                    provider?: string;
                    /** @description The type, or a pattern in which `*` stands for any run of characters, such as `invoice.*`. */
                    type?: string;
                    /** @description Only events whose latest failure has this cause: an id of `GET /admin/causes`. */
                    cause?: components["schemas"]["text_12"];
                    /** @description Received at this time or later. */
                    received_since?: components["schemas"]["date_time_1q6ejuj"];
                    received_before?: components["schemas"]["date_time_1q6ejuj"];
                    /** @description Only events after this one: `next` of the previous replay. */
                    after?: components["schemas"]["text_15"];
                    /** @description Only report what would be done. Default: `false`. */
                    dry_run?: boolean;
                    /** @description Needed for events that have been processed. Default: `false`. */
                    force?: boolean;
                    /** @description Also runs an event that lacks what its sender promises: an id, a type, a member, JSON. Needs `reason`. Bounds and schemas of handlers stay. Default: `false`. */
                    overrule?: boolean;
                    /**
                     * @description With `overrule`: why, for other administrators. It is kept with the event.
                     * @example sent in error
                     */
                    reason?: string;
                    /**
                     * @description With `overrule`: the type of an event to which its sender gave none.
                     * @example invoice.paid
                     */
                    as_type?: string;
                    /** @description How many events begin per second. Default: as fast as slots are free. */
                    per_second?: number;
                    /**
                     * Format: int32
                     * @description The greatest number of events that are looked at. Default: `1000`.
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
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        dry_run: boolean;
                        /** Format: int64 */
                        matched: number;
                        /**
                         * Format: int64
                         * @description Events that run again or, with `dry_run`, would.
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
                        /** @description Send it as `after` to continue where this replay ended. */
                        next: string | null;
                    };
                };
            };
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            409: components["responses"]["r409_key"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.plans.list": {
        parameters: {
            query?: {
                /** @description The greatest number of items. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, with the same sort and filter. */
                cursor?: components["parameters"]["cursor"];
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: components["parameters"]["total"];
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: ("id" | "action" | "state" | "filter" | "jobs" | "reason" | "made_by" | "force" | "per_second" | "created_at" | "started_at" | "ended_at" | "dry_run" | "report")[];
                /** @description The order, with `-` in front for descending. Default: `-id`. */
                sort?: components["parameters"]["admin_sort"];
                /** @description Only those with this `filter[state]`. */
                "filter[state]"?: "planned" | "running" | "paused" | "done" | "cancelled";
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, newest first unless `sort` says otherwise. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["plan"] | components["schemas"]["plan_selection"])[];
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400_page"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.plans.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "replay",
                 *       "filter": {
                 *         "state": "dead",
                 *         "cause": "hT3kQv90ZrLm"
                 *       },
                 *       "per_second": 20
                 *     }
                 */
                "application/json": {
                    /**
                     * @description `replay` and `discard` are about events, `retry` and `cancel` about jobs.
                     * @enum {string}
                     */
                    action: "replay" | "discard" | "retry" | "cancel";
                    /** @description Which events. Default: `{}`. */
                    filter?: {
                        /** @enum {string} */
                        state?: "received" | "processing" | "retrying" | "processed" | "dead" | "cancelled" | "ignored" | "quarantined" | "discarded";
                        provider?: string;
                        /** @description The type, or a pattern in which `*` stands for any run of characters, such as `invoice.*`. */
                        type?: string;
                        /** @description Only events whose latest failure has this cause: an id of `GET /admin/causes`. */
                        cause?: components["schemas"]["text_12"];
                        /** @description Received at this time or later. */
                        received_since?: components["schemas"]["date_time_1q6ejuj"];
                        /** @description Received before this time. Default: when the plan is made, so later events do not belong to it. */
                        received_before?: components["schemas"]["date_time_1q6ejuj"];
                        /** @description Only events whose payload contains it, as in a search. Needs the scope `events:reveal`. */
                        text?: string;
                    };
                    /** @description Which jobs: needed to retry or cancel them, as the scope `jobs:write` is. */
                    jobs?: {
                        /** @enum {string} */
                        state?: "ready" | "scheduled" | "running" | "blocked" | "done" | "dead" | "cancelled";
                        handler?: string;
                        queue?: string;
                        /** @description Only jobs about an event of this sender. */
                        provider?: string;
                        /** @description Only jobs whose latest failure has this cause: an id of `GET /admin/causes`. */
                        cause?: components["schemas"]["text_12"];
                        /** @description Stored at this time or later. */
                        created_since?: components["schemas"]["date_time_1q6ejuj"];
                        /** @description Stored before this time. Default: when the plan is made, so later jobs do not belong to it. */
                        created_before?: components["schemas"]["date_time_1q6ejuj"];
                    };
                    /** @description Why events are discarded. With a replay: why it also runs events that lack what their sender promises, which it skips otherwise. It is kept with each of them. */
                    reason?: string;
                    /** @description Also replays events that have been processed. Default: `false`. */
                    force?: boolean;
                    /** @description How many events or jobs begin per second, at most. The plan goes on in steps of a second. Default: `50`. */
                    per_second?: number;
                };
            };
        };
        responses: {
            /** @description The plan. It is not run. */
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
                    "application/json": components["schemas"]["plan_in_full"];
                };
            };
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            409: components["responses"]["r409_key"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.plans.read": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_uuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plan. */
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
                    "application/json": components["schemas"]["plan_in_full"];
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.plans.run": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_uuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It runs. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["plan_in_full"];
                };
            };
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.plans.pause": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_uuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is paused. No further event begins. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["plan_in_full"];
                };
            };
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.plans.resume": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_uuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It runs again, from where it was. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["plan_in_full"];
                };
            };
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.plans.cancel": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_uuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is cancelled. No further event begins. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["plan_in_full"];
                };
            };
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.refusals.list": {
        parameters: {
            query?: {
                /** @description The greatest number of items. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, with the same sort and filter. */
                cursor?: components["parameters"]["cursor"];
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: components["parameters"]["total"];
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: ("id" | "provider" | "reason" | "message" | "hint" | "refused_at" | "request_id" | "address" | "bytes" | "unkept" | "body_kept")[];
                /** @description The order, with `-` in front for descending. Default: `-id`. */
                sort?: components["parameters"]["admin_sort"];
                /** @description Only those with this `filter[provider]`. */
                "filter[provider]"?: components["parameters"]["admin_filter_provider"];
                /** @description Only those with this `filter[reason]`. */
                "filter[reason]"?: string;
                /** @description Only those refused at this time or later. */
                "filter[refused_at][gte]"?: components["schemas"]["date_time_8192_m7giwt"];
                /** @description Only those refused before this time. */
                "filter[refused_at][lt]"?: components["schemas"]["date_time_8192_m7giwt"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, newest first unless `sort` says otherwise. The last 1,000 are kept, for a day; of a flood, ten at once and then one a second of each provider and reason. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["refusal"] | components["schemas"]["refusal_selection"])[];
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400_page"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.refusals.read": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_uuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The refusal. */
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
                    "application/json": components["schemas"]["refusal_in_full"];
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.events.trace": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_number"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description From what is kept of it. Its signature is not kept. */
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
                    "application/json": components["schemas"]["verification_trace"];
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.events.note": {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of your own, such as a UUID. If you send a request with it again within 24 hours, the request takes effect only once and gets the same answer. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_number"];
            };
            cookie?: never;
        };
        /** @description A JSON object. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "The mail server was down; told the customer."
                 *     }
                 */
                "application/json": {
                    text: string;
                };
            };
        };
        responses: {
            /** @description The note. It is shown with the event. */
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
                    "application/json": components["schemas"]["event_note"];
                };
            };
            400: components["responses"]["r400_body"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_key_state_conflict"];
            413: components["responses"]["r413"];
            415: components["responses"]["r415"];
            422: components["responses"]["r422"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503_storage_full"];
            default: components["responses"]["Other"];
        };
    };
    "admin.events.difference": {
        parameters: {
            query?: {
                /** @description Another event. Default: the last one before it of the same provider and type that was processed. */
                against?: components["schemas"]["text_15"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The id in the path. */
                id: components["parameters"]["id_number"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where they differ. */
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
                    "application/json": {
                        event_id: string;
                        /** @description The event that it is compared with; null if there is none. */
                        against: {
                            event_id: string;
                            /** Format: date-time */
                            received_at: string;
                        } | null;
                        /** @description False if there are more than 200 changes. */
                        complete: boolean;
                        /** @description What this event has otherwise. Elements of lists are compared place by place. */
                        changes: {
                            /** @description A JSON Pointer (RFC 6901). */
                            path: string;
                            /** @enum {string} */
                            kind: "added" | "removed" | "changed";
                            /** @description As JSON, up to 200 characters. */
                            before: string | null;
                            after: string | null;
                        }[];
                    };
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            404: components["responses"]["r404"];
            409: components["responses"]["r409_state_conflict"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.audit.list": {
        parameters: {
            query?: {
                /** @description The greatest number of items. */
                limit?: components["parameters"]["limit"];
                /** @description Where the page begins: `next_cursor` or `prev_cursor` of another page of the same list, with the same sort and filter. */
                cursor?: components["parameters"]["cursor"];
                /** @description Whether `page.total` is wanted; it counts up to 10000. */
                total?: components["parameters"]["total"];
                /** @description The names of the fields to answer with, separated by commas. Default: all fields. */
                fields?: ("id" | "at" | "actor" | "credential" | "action" | "resource" | "resource_id" | "result" | "request_id" | "address" | "fields" | "place" | "digest" | "salt")[];
                /** @description The order, with `-` in front for descending. Default: `-id`. */
                sort?: components["parameters"]["admin_sort"];
                /** @description A user's id, or an operator's name. */
                "filter[actor]"?: string;
                /** @description Only those with this `filter[action]`. */
                "filter[action]"?: string;
                /** @description `false` leaves out the entries that only say who saw payloads or errors of handlers: `events:reveal`. */
                "filter[reads]"?: string;
                /** @description Only those with this `filter[resource]`. */
                "filter[resource]"?: string;
                /** @description The id of the row or thing that was affected. */
                "filter[resource_id]"?: string;
                /** @description Only entries from this time on. */
                "filter[at][gte]"?: components["schemas"]["date_time_8192_m7giwt"];
                /** @description Before this moment. */
                "filter[at][lt]"?: components["schemas"]["date_time_8192_m7giwt"];
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, newest first unless `sort` says otherwise. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "API-Version": components["headers"]["API-Version"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["audit_entry"] | components["schemas"]["audit_entry_selection"])[];
                    "application/x-ndjson": string;
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400_page"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.settings": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings of this process; none where the server is opened by code of the application. */
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
                    "application/json": {
                        data: components["schemas"]["setting"][];
                    };
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "admin.deprecations": {
        parameters: {
            query?: {
                /** @description How many days back, today included. */
                days?: number;
            };
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
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
                    "application/json": {
                        data: {
                            id: string;
                            /** @enum {string} */
                            state: "announced" | "deprecated" | "sunset";
                            /** Format: date */
                            sunset_at: string;
                            /** Format: int64 */
                            calls: number;
                            /**
                             * Format: int64
                             * @description Calls that used the deprecated thing: they named it, sent it or called it.
                             */
                            calls_asked: number;
                            /**
                             * Format: int64
                             * @description Calls whose answer only contained the deprecated thing; the client may read it.
                             */
                            calls_sent: number;
                            /**
                             * Format: date-time
                             * @description Since when this server counts its uses.
                             */
                            watched_since: string;
                            /**
                             * Format: date-time
                             * @description The earliest time at which it can be safe to remove: its sunset, or when its uses have been counted for as long as its notice was (from deprecation to sunset), whichever is later.
                             */
                            safe_from: string;
                            /** @description True if that time has come and nobody has used it for as long as its notice was, whatever `days` says. Uses that this process has counted and not stored are included; other processes store theirs within ten seconds. */
                            safe_to_remove: boolean;
                            clients: {
                                /** @description `user:<id>`, `anonymous`, … */
                                client: string;
                                /** @description The program, as it calls itself. */
                                agent: string;
                                /** @description The operation's id. */
                                operation: string;
                                /** @enum {string} */
                                kind: "asked" | "sent";
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
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401"];
            403: components["responses"]["r403_forbidden"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "about.openapi": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
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
                    "application/json": {
                        /** @example 3.1.1 */
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401_public"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
    "about.docs": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that you have: 304 if it has not changed. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
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
            304: components["responses"]["r304"];
            400: components["responses"]["r400"];
            401: components["responses"]["r401_public"];
            412: components["responses"]["r412"];
            429: components["responses"]["r429"];
            500: components["responses"]["r500"];
            503: components["responses"]["r503"];
            default: components["responses"]["Other"];
        };
    };
}
type WithRequired<T, K extends keyof T> = T & {
    [P in K]-?: T[P];
};
