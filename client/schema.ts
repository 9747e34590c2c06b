// Generated from the OpenAPI document by `npm run client:types`; not to be edited.

export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the service is configured */
        get: operations["checkHealth"];
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
        /** Read this document */
        get: operations["readOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{ns}/repos/{repo}/refs/{ref}/charges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Charge one write on the ref's shard */
        post: operations["chargeRef"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{ns}/repos/{repo}/refs/{ref}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read where the ref points */
        get: operations["readRef"];
        /** Move the ref and charge it as one write, in one transaction */
        put: operations["moveRef"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{ns}/repos/{repo}/refs/{ref}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the shard's current window; writes nothing */
        get: operations["readRefUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{ns}/repos/{repo}/refs/{ref}/rollup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Roll the shard up at once */
        post: operations["rollUpRef"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{ns}/charges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Charge one write that belongs to no ref, exactly, at the coordinator */
        post: operations["chargeNamespace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{ns}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the namespace's current window and those still stored; writes nothing */
        get: operations["readNamespaceUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{ns}/contributions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what each ref shard has rolled up in one window, in order, page by page */
        get: operations["listContributions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{ns}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the namespace's gauges for Prometheus */
        get: operations["readNamespaceMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{ns}/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the limits in force */
        get: operations["readLimits"];
        /** Give the namespace limits of its own, in force on every shard by its next rollup */
        put: operations["setLimits"];
        post?: never;
        /** Take the namespace's own limits away, back to the deployment's */
        delete: operations["dropLimits"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Health: {
            /** @constant */
            status: "ok";
        };
        /** The service is not configured */
        NotConfigured: {
            /** @constant */
            type: "urn:namespace-quota:problem:not_configured";
            /** @example The service is not configured */
            title: string;
            /** @constant */
            status: 503;
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "not_configured";
            /** @description Names of the settings at fault. */
            settings: string[];
        };
        Charge: {
            /**
             * Format: uint64
             * @description What the write adds to the bytes used; its ops are always 1.
             * @default 0
             */
            bytes?: bigint | number;
        };
        Charged: {
            /** @constant */
            decision: "allowed";
            /** @enum {string} */
            countedAt: "shard" | "coordinator";
            window: components["schemas"]["Window"];
            usage: components["schemas"]["Usage"];
            view: components["schemas"]["View"];
            limits: components["schemas"]["Limits"];
            remaining: components["schemas"]["Remaining"];
        };
        /** @description endsAt is the first moment after it. */
        Window: {
            number: components["schemas"]["Counter"];
            /** Format: date-time */
            startsAt: string;
            /** Format: date-time */
            endsAt: string;
        };
        /**
         * Format: uint64
         * @description A JSON integer, exact to 2^64-1: not rounded at 2^53.
         */
        Counter: bigint;
        Usage: {
            ops: components["schemas"]["Counter"];
            bytes: components["schemas"]["Counter"];
        };
        /** @description What the partition knows of the namespace's total; exact at a coordinator. */
        View: {
            /** @constant */
            status: "missing";
        } | {
            /** @enum {string} */
            status: "fresh" | "stale" | "exact";
            total: components["schemas"]["Usage"];
            /** Format: date-time */
            observedAt: string;
        };
        /** @description Null is unlimited. */
        Limits: {
            maxOps: components["schemas"]["Counter"] | null;
            maxBytes: components["schemas"]["Counter"] | null;
        };
        /** @description What is believed to be left, never negative; null where unlimited. */
        Remaining: {
            ops: components["schemas"]["Counter"] | null;
            bytes: components["schemas"]["Counter"] | null;
        };
        /** The service is not available at the moment */
        Unavailable: {
            /** @constant */
            type: "urn:namespace-quota:problem:unavailable";
            /** @example The service is not available at the moment */
            title: string;
            /** @constant */
            status: 503;
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "unavailable";
        };
        /** A valid token is required */
        Unauthenticated: {
            /** @constant */
            type: "urn:namespace-quota:problem:unauthenticated";
            /** @example A valid token is required */
            title: string;
            /** @constant */
            status: 401;
            detail: string;
            /** @constant */
            code: "unauthenticated";
        };
        /** The request body is too large */
        PayloadTooLarge: {
            /** @constant */
            type: "urn:namespace-quota:problem:payload_too_large";
            /** @example The request body is too large */
            title: string;
            /** @constant */
            status: 413;
            detail: string;
            /** @constant */
            code: "payload_too_large";
        };
        /** The request is not valid */
        InvalidRequest: {
            /** @constant */
            type: "urn:namespace-quota:problem:invalid_request";
            /** @example The request is not valid */
            title: string;
            /** @constant */
            status: 400;
            detail: string;
            /** @constant */
            code: "invalid_request";
        };
        /** Something went wrong here */
        Internal: {
            /** @constant */
            type: "urn:namespace-quota:problem:internal";
            /** @example Something went wrong here */
            title: string;
            /** @constant */
            status: 500;
            detail: string;
            /** @constant */
            code: "internal";
        };
        /** The cost is over the whole limit */
        CostExceedsLimit: {
            /** @constant */
            type: "urn:namespace-quota:problem:cost_exceeds_limit";
            /** @example The cost is over the whole limit */
            title: string;
            /** @constant */
            status: 422;
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "cost_exceeds_limit";
            /** @enum {string} */
            dimension: "ops" | "bytes";
            limits: components["schemas"]["Limits"];
        };
        /** The idempotency key was used for another request */
        IdempotencyMismatch: {
            /** @constant */
            type: "urn:namespace-quota:problem:idempotency_mismatch";
            /** @example The idempotency key was used for another request */
            title: string;
            /** @constant */
            status: 422;
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "idempotency_mismatch";
        };
        /** The quota is exhausted */
        QuotaExhausted: {
            /** @constant */
            type: "urn:namespace-quota:problem:quota_exhausted";
            /** @example The quota is exhausted */
            title: string;
            /** @constant */
            status: 429;
            detail: string;
            /** @constant */
            code: "quota_exhausted";
            /**
             * @description shard: its own count alone; namespace: together with the others.
             * @enum {string}
             */
            scope: "shard" | "namespace";
            /** @enum {string} */
            dimension: "ops" | "bytes";
            window: components["schemas"]["Window"];
            usage: components["schemas"]["Usage"];
            view: components["schemas"]["View"];
            limits: components["schemas"]["Limits"];
            remaining: components["schemas"]["Remaining"];
            retryAfterMs: number;
        };
        Move: {
            /** @description Where the ref must point; null: it must not exist; left out: wherever it is. */
            expected?: string | null;
            /** @description Where the ref is to point; null deletes it. */
            target: string | null;
            /**
             * Format: uint64
             * @description What the write adds to the bytes used; its ops are always 1.
             * @default 0
             */
            bytes?: bigint | number;
        };
        Moved: {
            /** @constant */
            decision: "allowed";
            /** @enum {string} */
            countedAt: "shard" | "coordinator";
            window: components["schemas"]["Window"];
            usage: components["schemas"]["Usage"];
            view: components["schemas"]["View"];
            limits: components["schemas"]["Limits"];
            remaining: components["schemas"]["Remaining"];
            target: string | null;
        };
        /** The ref is not where it was expected */
        Conflict: {
            /** @constant */
            type: "urn:namespace-quota:problem:conflict";
            /** @example The ref is not where it was expected */
            title: string;
            /** @constant */
            status: 409;
            detail: string;
            /** @constant */
            code: "conflict";
            /** @description Where the ref points; null: it does not exist. */
            current: string | null;
        };
        RefTarget: {
            target: string;
        };
        /** There is nothing here */
        NotFound: {
            /** @constant */
            type: "urn:namespace-quota:problem:not_found";
            /** @example There is nothing here */
            title: string;
            /** @constant */
            status: 404;
            detail: string;
            /** @constant */
            code: "not_found";
        };
        RefUsage: {
            window: components["schemas"]["Window"];
            usage: components["schemas"]["Usage"];
            view: components["schemas"]["View"];
            limits: components["schemas"]["Limits"];
            remaining: components["schemas"]["Remaining"];
        };
        /** The token does not allow this */
        Forbidden: {
            /** @constant */
            type: "urn:namespace-quota:problem:forbidden";
            /** @example The token does not allow this */
            title: string;
            /** @constant */
            status: 403;
            detail: string;
            /** @constant */
            code: "forbidden";
        };
        NamespaceUsage: {
            namespace: string;
            window: components["schemas"]["Window"];
            total: components["schemas"]["Usage"];
            /** @description Ref shards that have rolled up in the window. */
            sources: number;
            limits: components["schemas"]["Limits"];
            remaining: components["schemas"]["Remaining"];
            /** @description Every window still stored, in order. */
            windows: components["schemas"]["WindowTotal"][];
        };
        WindowTotal: {
            window: components["schemas"]["Counter"];
            total: components["schemas"]["Usage"];
            sources: number;
        };
        ContributionsPage: {
            items: components["schemas"]["Contribution"][];
            /** @description The next page's cursor; null on the last. */
            next: string | null;
        };
        Contribution: {
            repo: string;
            ref: string;
            ops: components["schemas"]["Counter"];
            bytes: components["schemas"]["Counter"];
        };
        /** @description The limits in force, and whether they are the namespace's own. */
        LimitsReport: {
            maxOps: components["schemas"]["Counter"] | null;
            maxBytes: components["schemas"]["Counter"] | null;
            /** @enum {string} */
            source: "default" | "namespace";
        };
        /** @description Null is unlimited, 0 blocks every charge. */
        SetLimits: {
            maxOps: (bigint | number) | null;
            maxBytes: (bigint | number) | null;
        };
    };
    responses: {
        /** @description `not_configured` */
        NotConfigured: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["NotConfigured"];
            };
        };
        /** @description `not_configured` or `unavailable` */
        NotConfiguredOrUnavailable: {
            headers: {
                /** @description Whole seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["NotConfigured"] | components["schemas"]["Unavailable"];
            };
        };
        /** @description `unauthenticated` */
        Unauthenticated: {
            headers: {
                /** @description RFC 6750. */
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Unauthenticated"];
            };
        };
        /** @description `payload_too_large` */
        PayloadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["PayloadTooLarge"];
            };
        };
        /** @description `invalid_request` */
        InvalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InvalidRequest"];
            };
        };
        /** @description `internal` */
        Internal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Internal"];
            };
        };
        /** @description `cost_exceeds_limit` or `idempotency_mismatch` */
        CostExceedsLimitOrIdempotencyMismatch: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["CostExceedsLimit"] | components["schemas"]["IdempotencyMismatch"];
            };
        };
        /** @description `quota_exhausted` */
        QuotaExhausted: {
            headers: {
                /** @description Whole seconds. */
                "Retry-After": number;
                /** @description The limits, one policy per limited dimension (draft-ietf-httpapi-ratelimit-headers-10). */
                "RateLimit-Policy"?: string;
                /** @description What is left of each, and the seconds until the window ends. */
                RateLimit?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["QuotaExhausted"];
            };
        };
        /** @description `conflict` */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Conflict"];
            };
        };
        /** @description `not_found` */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["NotFound"];
            };
        };
        /** @description `forbidden` */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Forbidden"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    checkHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            503: components["responses"]["NotConfigured"];
        };
    };
    readOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1 of every route. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            503: components["responses"]["NotConfigured"];
        };
    };
    chargeRef: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body, on the same partition and endpoint, charges once and is answered the same again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The namespace: whose quota it is. */
                ns: string;
                /** @description The repository. */
                repo: string;
                /** @description A full git ref name by the rules of git-check-ref-format, at most 512 bytes of UTF-8, percent-encoded as one path segment: refs%2Fheads%2Fmain. */
                ref: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Charge"];
            };
        };
        responses: {
            /** @description Charged, or charged before with the same key. */
            200: {
                headers: {
                    /** @description The limits, one policy per limited dimension (draft-ietf-httpapi-ratelimit-headers-10). */
                    "RateLimit-Policy"?: string;
                    /** @description What is left of each, and the seconds until the window ends. */
                    RateLimit?: string;
                    /** @description The answer of an earlier request with the same key; nothing was charged. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Charged"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["CostExceedsLimitOrIdempotencyMismatch"];
            429: components["responses"]["QuotaExhausted"];
            500: components["responses"]["Internal"];
            503: components["responses"]["NotConfiguredOrUnavailable"];
        };
    };
    readRef: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace: whose quota it is. */
                ns: string;
                /** @description The repository. */
                repo: string;
                /** @description A full git ref name by the rules of git-check-ref-format, at most 512 bytes of UTF-8, percent-encoded as one path segment: refs%2Fheads%2Fmain. */
                ref: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where it points. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefTarget"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["NotConfiguredOrUnavailable"];
        };
    };
    moveRef: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body, on the same partition and endpoint, charges once and is answered the same again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The namespace: whose quota it is. */
                ns: string;
                /** @description The repository. */
                repo: string;
                /** @description A full git ref name by the rules of git-check-ref-format, at most 512 bytes of UTF-8, percent-encoded as one path segment: refs%2Fheads%2Fmain. */
                ref: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Move"];
            };
        };
        responses: {
            /** @description Moved and charged, or so before with the same key. */
            200: {
                headers: {
                    /** @description The limits, one policy per limited dimension (draft-ietf-httpapi-ratelimit-headers-10). */
                    "RateLimit-Policy"?: string;
                    /** @description What is left of each, and the seconds until the window ends. */
                    RateLimit?: string;
                    /** @description The answer of an earlier request with the same key; nothing was charged. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Moved"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["CostExceedsLimitOrIdempotencyMismatch"];
            429: components["responses"]["QuotaExhausted"];
            500: components["responses"]["Internal"];
            503: components["responses"]["NotConfiguredOrUnavailable"];
        };
    };
    readRefUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace: whose quota it is. */
                ns: string;
                /** @description The repository. */
                repo: string;
                /** @description A full git ref name by the rules of git-check-ref-format, at most 512 bytes of UTF-8, percent-encoded as one path segment: refs%2Fheads%2Fmain. */
                ref: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The shard's own count, and what it knows of the namespace. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefUsage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            500: components["responses"]["Internal"];
            503: components["responses"]["NotConfiguredOrUnavailable"];
        };
    };
    rollUpRef: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace: whose quota it is. */
                ns: string;
                /** @description The repository. */
                repo: string;
                /** @description A full git ref name by the rules of git-check-ref-format, at most 512 bytes of UTF-8, percent-encoded as one path segment: refs%2Fheads%2Fmain. */
                ref: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The shard's window, with a fresh view. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefUsage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["NotConfiguredOrUnavailable"];
        };
    };
    chargeNamespace: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body, on the same partition and endpoint, charges once and is answered the same again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The namespace: whose quota it is. */
                ns: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Charge"];
            };
        };
        responses: {
            /** @description Charged, or charged before with the same key. */
            200: {
                headers: {
                    /** @description The limits, one policy per limited dimension (draft-ietf-httpapi-ratelimit-headers-10). */
                    "RateLimit-Policy"?: string;
                    /** @description What is left of each, and the seconds until the window ends. */
                    RateLimit?: string;
                    /** @description The answer of an earlier request with the same key; nothing was charged. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Charged"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["CostExceedsLimitOrIdempotencyMismatch"];
            429: components["responses"]["QuotaExhausted"];
            500: components["responses"]["Internal"];
            503: components["responses"]["NotConfiguredOrUnavailable"];
        };
    };
    readNamespaceUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace: whose quota it is. */
                ns: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The namespace's totals, as far as rolled up. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamespaceUsage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            500: components["responses"]["Internal"];
            503: components["responses"]["NotConfiguredOrUnavailable"];
        };
    };
    listContributions: {
        parameters: {
            query?: {
                /** @description The window's number; left out: the current one. */
                window?: bigint | number;
                /** @description Rows at most. */
                limit?: number;
                /** @description `next` of an earlier page of the same window. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The namespace: whose quota it is. */
                ns: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContributionsPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            500: components["responses"]["Internal"];
            503: components["responses"]["NotConfiguredOrUnavailable"];
        };
    };
    readNamespaceMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace: whose quota it is. */
                ns: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The gauges. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            500: components["responses"]["Internal"];
            503: components["responses"]["NotConfiguredOrUnavailable"];
        };
    };
    readLimits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace: whose quota it is. */
                ns: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limits and where they come from. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LimitsReport"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            500: components["responses"]["Internal"];
            503: components["responses"]["NotConfiguredOrUnavailable"];
        };
    };
    setLimits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace: whose quota it is. */
                ns: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetLimits"];
            };
        };
        responses: {
            /** @description The limits now in force. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LimitsReport"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["NotConfiguredOrUnavailable"];
        };
    };
    dropLimits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace: whose quota it is. */
                ns: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limits now in force. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LimitsReport"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["NotConfiguredOrUnavailable"];
        };
    };
}

/** Where each operation is. */
export const endpoints = {
  /** Whether the service is configured. */
  checkHealth: { method: "GET", path: "/healthz" },
  /** Read this document. */
  readOpenApi: { method: "GET", path: "/openapi.json" },
  /** Charge one write on the ref's shard. */
  chargeRef: { method: "POST", path: "/v1/namespaces/{ns}/repos/{repo}/refs/{ref}/charges" },
  /** Move the ref and charge it as one write, in one transaction. */
  moveRef: { method: "PUT", path: "/v1/namespaces/{ns}/repos/{repo}/refs/{ref}" },
  /** Read where the ref points. */
  readRef: { method: "GET", path: "/v1/namespaces/{ns}/repos/{repo}/refs/{ref}" },
  /** Read the shard's current window; writes nothing. */
  readRefUsage: { method: "GET", path: "/v1/namespaces/{ns}/repos/{repo}/refs/{ref}/usage" },
  /** Roll the shard up at once. */
  rollUpRef: { method: "POST", path: "/v1/namespaces/{ns}/repos/{repo}/refs/{ref}/rollup" },
  /** Charge one write that belongs to no ref, exactly, at the coordinator. */
  chargeNamespace: { method: "POST", path: "/v1/namespaces/{ns}/charges" },
  /** Read the namespace's current window and those still stored; writes nothing. */
  readNamespaceUsage: { method: "GET", path: "/v1/namespaces/{ns}/usage" },
  /** List what each ref shard has rolled up in one window, in order, page by page. */
  listContributions: { method: "GET", path: "/v1/namespaces/{ns}/contributions" },
  /** Read the namespace's gauges for Prometheus. */
  readNamespaceMetrics: { method: "GET", path: "/v1/namespaces/{ns}/metrics" },
  /** Read the limits in force. */
  readLimits: { method: "GET", path: "/v1/namespaces/{ns}/limits" },
  /** Give the namespace limits of its own, in force on every shard by its next rollup. */
  setLimits: { method: "PUT", path: "/v1/namespaces/{ns}/limits" },
  /** Take the namespace's own limits away, back to the deployment's. */
  dropLimits: { method: "DELETE", path: "/v1/namespaces/{ns}/limits" },
} as const;

/** Members that are counters, wherever they stand. */
export const counterNames = ["bytes", "maxBytes", "maxOps", "number", "ops", "window"] as const;
