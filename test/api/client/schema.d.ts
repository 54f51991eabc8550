/* Made by npm run client; not to be edited. */
export interface paths {
    "/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listProducts"];
        put?: never;
        post: operations["createProduct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/products/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getProduct"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["updateProduct"];
        trace?: never;
    };
    "/products/{id}/qr": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getQr"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/products/{id}/snippet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSnippet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/products/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/products/{id}/versions/{n}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/products/{id}/versions/{n}/revert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["revertProduct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/products/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["archiveProduct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/products/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["restoreProduct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/products/by-sku/{sku}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["putProductBySku"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/products/by-gtin/{gtin}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["putProductByGtin"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/products/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["syncProducts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/products/{id}/children": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listChildren"];
        put?: never;
        post: operations["createChildren"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/products/{id}/children/update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["updateChildren"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/products/{id}/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["previewRefresh"];
        put?: never;
        post: operations["refreshProduct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/products/{id}/scans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getProductScans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getScans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getHealth"];
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
        get: operations["getOpenapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listCategories"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schema/{category}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "product.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onProductCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "product.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onProductUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "product.archived": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onProductArchived"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "product.restored": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onProductRestored"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "scan.milestone": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onScanMilestone"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "scan.clone_suspected": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onCloneSuspected"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Product: {
            id: string;
            category: string;
            /** @enum {string} */
            level: "model" | "batch" | "item";
            /** @enum {string} */
            status: "active" | "archived";
            gtin: string | null;
            lot: string | null;
            serial: string | null;
            version_no: number;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            created_at: string;
            /** Format: uri */
            passport_url: string;
            /** Format: uri */
            gs1_url: string | null;
            /** Format: uri */
            qr_url: string;
            parent_id: string | null;
            outdated: boolean;
            data: components["schemas"]["ProductData"];
        };
        ProductSummary: {
            id: string;
            category: string;
            /** @enum {string} */
            level: "model" | "batch" | "item";
            /** @enum {string} */
            status: "active" | "archived";
            gtin: string | null;
            lot: string | null;
            serial: string | null;
            version_no: number;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            created_at: string;
            /** Format: uri */
            passport_url: string;
            /** Format: uri */
            gs1_url: string | null;
            /** Format: uri */
            qr_url: string;
            parent_id: string | null;
            outdated: boolean;
            product_name: string | null;
            sku: string | null;
            brand_name: string | null;
        };
        ProductChange: {
            data: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            change_type?: "change" | "correction";
            note?: string | null;
        };
        DryRun: {
            /** @constant */
            dry_run: true;
            correction?: {
                fields: string[];
                units: number;
                own_values: {
                    [key: string]: number;
                };
            };
        };
        SyncedProducts: {
            created: {
                index: number;
                id: string;
                category: string;
                /** @enum {string} */
                level: "model" | "batch" | "item";
                /** @enum {string} */
                status: "active" | "archived";
                gtin: string | null;
                lot: string | null;
                serial: string | null;
                version_no: number;
                /** Format: date-time */
                updated_at: string;
                /** Format: date-time */
                created_at: string;
                /** Format: uri */
                passport_url: string;
                /** Format: uri */
                gs1_url: string | null;
                /** Format: uri */
                qr_url: string;
                parent_id: string | null;
                outdated: boolean;
                product_name: string | null;
                sku: string | null;
                brand_name: string | null;
                warnings?: components["schemas"]["Detail"][];
            }[];
            updated: {
                index: number;
                id: string;
                category: string;
                /** @enum {string} */
                level: "model" | "batch" | "item";
                /** @enum {string} */
                status: "active" | "archived";
                gtin: string | null;
                lot: string | null;
                serial: string | null;
                version_no: number;
                /** Format: date-time */
                updated_at: string;
                /** Format: date-time */
                created_at: string;
                /** Format: uri */
                passport_url: string;
                /** Format: uri */
                gs1_url: string | null;
                /** Format: uri */
                qr_url: string;
                parent_id: string | null;
                outdated: boolean;
                product_name: string | null;
                sku: string | null;
                brand_name: string | null;
                warnings?: components["schemas"]["Detail"][];
            }[];
            unchanged: {
                index: number;
                id: string;
                category: string;
                /** @enum {string} */
                level: "model" | "batch" | "item";
                /** @enum {string} */
                status: "active" | "archived";
                gtin: string | null;
                lot: string | null;
                serial: string | null;
                version_no: number;
                /** Format: date-time */
                updated_at: string;
                /** Format: date-time */
                created_at: string;
                /** Format: uri */
                passport_url: string;
                /** Format: uri */
                gs1_url: string | null;
                /** Format: uri */
                qr_url: string;
                parent_id: string | null;
                outdated: boolean;
                product_name: string | null;
                sku: string | null;
                brand_name: string | null;
                warnings?: components["schemas"]["Detail"][];
            }[];
            errors: {
                index: number;
                code: string;
                error: string;
                errors?: components["schemas"]["Detail"][];
            }[];
            summary: {
                requested: number;
                created: number;
                updated: number;
                unchanged: number;
                failed: number;
            };
        };
        Snippet: {
            language: string;
            /** Format: uri */
            passport_url: string;
            /** Format: uri */
            image_url: string;
            json_ld: Record<string, never>;
            html: string;
        };
        Version: {
            version_no: number;
            /** @enum {string|null} */
            change_type: "change" | "correction" | "refresh" | null;
            changed: string[];
            /** Format: date-time */
            created_at: string;
            created_by: string;
            note: string | null;
            parent_version_no?: number;
        };
        PageMeta: {
            page: number | null;
            limit: number;
            total: number;
            total_capped?: boolean;
            total_pages: number;
            has_more: boolean;
            next_cursor: string | null;
            /** Format: date-time */
            synced_until?: string;
        };
        NewProduct: components["schemas"]["NewTextile"] | components["schemas"]["NewBattery"] | components["schemas"]["NewFurniture"];
        NewTextile: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            category: "textile";
            data: components["schemas"]["TextileData"];
        };
        NewBattery: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            category: "battery";
            data: components["schemas"]["BatteryData"];
        };
        NewFurniture: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            category: "furniture";
            data: components["schemas"]["FurnitureData"];
        };
        /** Textile */
        TextileData: {
            productName: string;
            sku: string;
            brandName: string;
            gtin?: string | null;
            commodityCode?: string | null;
            economicOperator: {
                /** @enum {string} */
                role: "manufacturer" | "importer" | "authorized_representative" | "distributor" | "dealer" | "fulfilment_service_provider";
                legalName: string;
                address: string;
                country: string;
                /** Format: idn-email */
                contactEmail: string;
                operatorId?: string;
                eori?: string;
            };
            languages: string[];
            fiberComposition: {
                fiber: string;
                percentage: number;
            }[];
            recycledContentPercentage?: number | null;
            countryOfManufacture: string;
            supplyChainStages?: {
                /** @enum {string} */
                stage: "spinning" | "weaving" | "knitting" | "dyeing" | "finishing" | "assembly";
                country: string;
                facilityName?: string;
                facilityId?: string;
            }[] | null;
            careInstructions: {
                [key: string]: string;
            };
            repair: {
                repairable: boolean;
                sparePartsAvailable: boolean;
                instructions?: {
                    [key: string]: string;
                };
            };
            substancesOfConcern?: {
                name: string;
                casNumber?: string;
                concentrationRange?: string;
            }[] | null;
            durability?: {
                testResults?: string;
                pefScore?: number;
            } | null;
            carbonFootprint?: number | null;
            waterFootprint?: number | null;
            weightGrams?: number | null;
            endOfLife: {
                recyclingInstructions: {
                    [key: string]: string;
                };
                disposalInstructions: {
                    [key: string]: string;
                };
            };
            complianceDocuments?: {
                type: string;
                /** Format: iri */
                url: string;
            }[] | null;
        } & {
            [key: string]: unknown;
        };
        /** Battery */
        BatteryData: {
            productName: string;
            sku: string;
            brandName: string;
            gtin?: string | null;
            commodityCode?: string | null;
            economicOperator: {
                /** @enum {string} */
                role: "manufacturer" | "importer" | "authorized_representative" | "distributor" | "dealer" | "fulfilment_service_provider";
                legalName: string;
                address: string;
                country: string;
                /** Format: idn-email */
                contactEmail: string;
                operatorId?: string;
                eori?: string;
            };
            languages: string[];
            /** @enum {string} */
            batteryCategory: "portable" | "lmt" | "ev" | "industrial" | "sli";
            /** @enum {string} */
            cellChemistry: "nmc" | "nca" | "lfp" | "lmo" | "lto" | "nimh" | "lead_acid" | "sodium_ion" | "lco" | "lmfp" | "nicd" | "zinc_air" | "alkaline" | "lithium_primary" | "solid_state" | "other";
            weightKg: number;
            countryOfManufacture: string;
            manufacturingDate: string;
            ratedCapacity: number;
            energyWh?: number | null;
            nominalVoltage?: number | null;
            expectedLifetimeCycles?: number | null;
            stateOfHealth?: number | null;
            carbonFootprint?: number | null;
            /** @enum {string|null} */
            carbonFootprintClass?: "A" | "B" | "C" | "D" | "E" | "F" | "G" | null;
            /** Format: iri */
            carbonFootprintStudyUrl?: string | null;
            carbonFootprintBreakdown?: {
                /** @enum {string} */
                stage: "raw_material" | "main_production" | "distribution" | "recycling";
                value: number;
            }[] | null;
            recycledContent?: {
                /** @enum {string} */
                material: "cobalt" | "lithium" | "nickel" | "lead";
                percentage: number;
            }[] | null;
            hazardousSubstances?: {
                name: string;
                casNumber?: string;
                concentrationRange?: string;
            }[] | null;
            safetyInformation?: {
                [key: string]: string;
            } | null;
            /** Format: iri */
            dueDiligenceUrl?: string | null;
            endOfLife: {
                recyclingInstructions: {
                    [key: string]: string;
                };
                disposalInstructions: {
                    [key: string]: string;
                };
            };
            complianceDocuments?: {
                type: string;
                /** Format: iri */
                url: string;
            }[] | null;
        } & {
            [key: string]: unknown;
        };
        /** Furniture */
        FurnitureData: {
            productName: string;
            sku: string;
            brandName: string;
            gtin?: string | null;
            commodityCode?: string | null;
            economicOperator: {
                /** @enum {string} */
                role: "manufacturer" | "importer" | "authorized_representative" | "distributor" | "dealer" | "fulfilment_service_provider";
                legalName: string;
                address: string;
                country: string;
                /** Format: idn-email */
                contactEmail: string;
                operatorId?: string;
                eori?: string;
            };
            languages: string[];
            materialComposition: {
                /** @enum {string} */
                material: "wood" | "engineeredWood" | "metal" | "plastic" | "glass" | "textile" | "foam" | "leather" | "bamboo" | "rattan" | "cork" | "stone" | "ceramic" | "concrete" | "rubber" | "paper" | "other";
                percentage: number;
            }[];
            woodCertification?: {
                /** @enum {string} */
                scheme?: "fsc" | "pefc" | "none";
                country?: string;
            } | null;
            dimensions?: {
                width?: number;
                depth?: number;
                height?: number;
                weightKg?: number;
            } | null;
            countryOfManufacture: string;
            careInstructions: {
                [key: string]: string;
            };
            assemblyInstructions?: {
                [key: string]: string;
            } | null;
            repair: {
                repairable: boolean;
                sparePartsAvailable: boolean;
                instructions?: {
                    [key: string]: string;
                };
                /** Format: iri */
                sparePartsUrl?: string;
            };
            warrantyMonths?: number | null;
            substancesOfConcern?: {
                name: string;
                casNumber?: string;
                note?: string;
            }[] | null;
            /** @enum {string|null} */
            flameRetardants?: "present" | "absent" | "unknown" | null;
            /** @enum {string|null} */
            packaging?: "recyclable" | "partiallyRecyclable" | "notRecyclable" | null;
            endOfLife: {
                recyclingInstructions: {
                    [key: string]: string;
                };
                disposalInstructions: {
                    [key: string]: string;
                };
            };
            complianceDocuments?: {
                type: string;
                /** Format: iri */
                url: string;
            }[] | null;
        } & {
            [key: string]: unknown;
        };
        ProductData: components["schemas"]["TextileData"] | components["schemas"]["BatteryData"] | components["schemas"]["FurnitureData"];
        NewUnit: {
            /** @enum {string} */
            level: "batch" | "item";
            lot?: string | null;
            serial?: string | null;
            data?: {
                [key: string]: unknown;
            } | null;
        };
        NewUnits: {
            /** @enum {string} */
            level: "batch" | "item";
            items: {
                lot?: string | null;
                serial?: string | null;
                data?: {
                    [key: string]: unknown;
                } | null;
            }[];
        };
        CreatedUnits: {
            created: {
                index: number;
                id: string;
                category: string;
                /** @enum {string} */
                level: "model" | "batch" | "item";
                /** @enum {string} */
                status: "active" | "archived";
                gtin: string | null;
                lot: string | null;
                serial: string | null;
                version_no: number;
                /** Format: date-time */
                updated_at: string;
                /** Format: date-time */
                created_at: string;
                /** Format: uri */
                passport_url: string;
                /** Format: uri */
                gs1_url: string | null;
                /** Format: uri */
                qr_url: string;
                parent_id: string | null;
                outdated: boolean;
                product_name: string | null;
                sku: string | null;
                brand_name: string | null;
                warnings?: components["schemas"]["Detail"][];
            }[];
            errors: {
                index: number;
                code: string;
                error: string;
                errors?: components["schemas"]["Detail"][];
            }[];
            summary: {
                requested: number;
                created: number;
                failed: number;
            };
        };
        UpdatedUnits: {
            updated: {
                index: number;
                id: string;
                category: string;
                /** @enum {string} */
                level: "model" | "batch" | "item";
                /** @enum {string} */
                status: "active" | "archived";
                gtin: string | null;
                lot: string | null;
                serial: string | null;
                version_no: number;
                /** Format: date-time */
                updated_at: string;
                /** Format: date-time */
                created_at: string;
                /** Format: uri */
                passport_url: string;
                /** Format: uri */
                gs1_url: string | null;
                /** Format: uri */
                qr_url: string;
                parent_id: string | null;
                outdated: boolean;
                product_name: string | null;
                sku: string | null;
                brand_name: string | null;
                warnings?: components["schemas"]["Detail"][];
            }[];
            errors: {
                index: number;
                code: string;
                error: string;
                errors?: components["schemas"]["Detail"][];
            }[];
            summary: {
                requested: number;
                updated: number;
                failed: number;
            };
        };
        Refreshed: {
            refreshed: number;
            pending: number;
            skipped: {
                id: string;
                fields: string[];
            }[];
            failed: {
                id: string;
                error: string;
                errors: components["schemas"]["Detail"][];
            }[];
        };
        RefreshPreview: {
            outdated: number;
            job?: {
                refreshed: number;
                /** Format: date-time */
                started_at: string;
                /** Format: date-time */
                finished_at: string | null;
                skipped: {
                    id: string;
                    fields: string[];
                }[];
                failed: {
                    id: string;
                    error: string;
                    errors: components["schemas"]["Detail"][];
                }[];
            };
        };
        ProductScans: {
            product_id: string;
            /** @enum {integer} */
            range_days: 7 | 30 | 90 | 365;
            total: number;
            unique: number;
            byCountry: {
                [key: string]: number;
            };
            byDevice: {
                mobile: number;
                tablet: number;
                desktop: number;
                other: number;
            };
            by_day: {
                /** Format: date */
                date: string;
                total: number;
                unique: number;
            }[];
            crawlers: number;
        };
        AccountScans: {
            /** @enum {integer} */
            range_days: 7 | 30 | 90 | 365;
            total: number;
            unique: number;
            byCountry: {
                [key: string]: number;
            };
            byDevice: {
                mobile: number;
                tablet: number;
                desktop: number;
                other: number;
            };
            by_day: {
                /** Format: date */
                date: string;
                total: number;
                unique: number;
            }[];
            crawlers: number;
            byCategory: {
                [key: string]: number;
            };
            byLevel: {
                model: number;
                batch: number;
                item: number;
            };
        };
        Health: {
            /** @enum {string} */
            status: "ok" | "unavailable";
            version: string;
            /** Format: date-time */
            time: string;
        };
        CategorySummary: {
            id: string;
            title: string;
            schema_version: number;
            /** Format: uri */
            schema_url: string;
            required: string[];
        };
        Field: {
            name: string;
            /** @enum {string} */
            type: "string" | "number" | "boolean" | "object" | "array";
            required: boolean;
            localized: boolean;
            audience: ("public" | "legitimate_interest" | "authority")[];
            enum?: string[];
            open?: boolean;
            unit?: string;
            format?: string;
            description: string;
            items?: {
                /** @enum {string} */
                type: "string" | "number" | "boolean" | "object" | "array";
                description?: string;
                enum?: string[];
                open?: boolean;
                unit?: string;
                format?: string;
                fields?: components["schemas"]["Field"][];
            };
            fields?: components["schemas"]["Field"][];
            sums_to?: {
                field: string;
                /** @constant */
                total: 100;
            };
        };
        CategoryFields: {
            category: string;
            schema_version: number;
            fields: components["schemas"]["Field"][];
        };
        Detail: {
            field: string;
            pointer: string;
            code: string;
            message: string;
            index?: number;
        };
        Error: {
            error: string;
            code: string;
            errors?: components["schemas"]["Detail"][];
            truncated?: boolean;
            request_id: string;
        };
        PassportEventData: {
            id: string;
            category: string;
            version_no: number;
        };
        MilestoneEventData: {
            product_id: string;
            count: number;
            milestone: number;
        };
        CloneEventData: {
            product_id: string;
            count: number;
            countries: number;
            unique_devices: number;
        };
    };
    responses: {
        "archived.idempotency_in_progress": {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        bad_request: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        expectation_failed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "gtin_taken.idempotency_in_progress": {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        headers_too_large: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        idempotency_in_progress: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        internal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        method_not_allowed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                Allow: components["headers"]["Allow"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        not_acceptable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        not_found: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        payload_too_large: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "plan_limit.plan_required.read_only": {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        plan_required: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "plan_required.read_only": {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        rate_limited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        timeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        unsupported_media_type: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        uri_too_long: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        validation: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        version_conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        "Idempotency-Key": string;
        "X-Service-Signature": string;
        "webhook-id": string;
        "webhook-timestamp": string;
        "webhook-signature": string;
    };
    requestBodies: never;
    headers: {
        "X-Request-Id": string;
        "X-RateLimit-Limit": number;
        "X-RateLimit-Remaining": number;
        "X-RateLimit-Reset": number;
        "Retry-After": number;
        ETag: string;
        Location: string;
        Allow: string;
        "WWW-Authenticate": string;
        "Idempotency-Replayed": string;
        "Preference-Applied": string;
        Deprecation: string;
        Sunset: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listProducts: {
        parameters: {
            query?: {
                q?: string;
                status?: "all" | "active" | "archived";
                outdated?: boolean;
                lot?: string;
                serial?: string;
                level?: "model" | "batch" | "item" | "all";
                category?: "textile" | "battery" | "furniture";
                updated_since?: string;
                sku?: string;
                gtin?: string;
                page?: number;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ProductSummary"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    createProduct: {
        parameters: {
            query?: {
                dry_run?: boolean;
            };
            header?: {
                Prefer?: string;
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewProduct"];
            };
        };
        responses: {
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Product"];
                        warnings?: components["schemas"]["Detail"][];
                        truncated?: boolean;
                        meta?: components["schemas"]["DryRun"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_limit.plan_required.read_only"];
            409: components["responses"]["gtin_taken.idempotency_in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    getProduct: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Product"];
                    };
                };
            };
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required"];
            404: components["responses"]["not_found"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    updateProduct: {
        parameters: {
            query?: {
                dry_run?: boolean;
            };
            header?: {
                "If-Match"?: string;
                Prefer?: string;
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProductChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Product"];
                        warnings?: components["schemas"]["Detail"][];
                        truncated?: boolean;
                        meta?: components["schemas"]["DryRun"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required.read_only"];
            404: components["responses"]["not_found"];
            409: components["responses"]["gtin_taken.idempotency_in_progress"];
            412: components["responses"]["version_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    getQr: {
        parameters: {
            query?: {
                content?: "passport" | "gs1";
                ecc?: "M" | "Q";
                level?: "M" | "Q";
                size_mm?: number;
            };
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required"];
            404: components["responses"]["not_found"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    getSnippet: {
        parameters: {
            query?: {
                lang?: "bg" | "cs" | "da" | "de" | "el" | "en" | "es" | "et" | "fi" | "fr" | "ga" | "hr" | "hu" | "it" | "lt" | "lv" | "mt" | "nl" | "pl" | "pt" | "ro" | "sk" | "sl" | "sv";
                product?: string;
            };
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Snippet"];
                    };
                };
            };
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required"];
            404: components["responses"]["not_found"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    listVersions: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Version"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required"];
            404: components["responses"]["not_found"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    getVersion: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                id: string;
                n: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Product"];
                    };
                };
            };
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required"];
            404: components["responses"]["not_found"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    revertProduct: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: string;
                n: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    change_type?: "change" | "correction";
                    note?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Product"];
                        warnings?: components["schemas"]["Detail"][];
                        truncated?: boolean;
                        meta?: components["schemas"]["DryRun"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required.read_only"];
            404: components["responses"]["not_found"];
            409: components["responses"]["gtin_taken.idempotency_in_progress"];
            412: components["responses"]["version_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    archiveProduct: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Product"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required.read_only"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_in_progress"];
            412: components["responses"]["version_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    restoreProduct: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Product"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required.read_only"];
            404: components["responses"]["not_found"];
            409: components["responses"]["gtin_taken.idempotency_in_progress"];
            412: components["responses"]["version_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    putProductBySku: {
        parameters: {
            query?: {
                dry_run?: boolean;
            };
            header?: {
                "If-Match"?: string;
                "If-None-Match"?: string;
                Prefer?: string;
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                sku: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    category?: string;
                    data: Record<string, never>;
                    /** @enum {string} */
                    change_type?: "change" | "correction";
                    note?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Product"];
                        warnings?: components["schemas"]["Detail"][];
                        truncated?: boolean;
                        meta?: {
                            unchanged?: boolean;
                            dry_run?: boolean;
                        };
                    };
                };
            };
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Product"];
                        warnings?: components["schemas"]["Detail"][];
                        truncated?: boolean;
                        meta?: {
                            unchanged?: boolean;
                            dry_run?: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_limit.plan_required.read_only"];
            409: components["responses"]["gtin_taken.idempotency_in_progress"];
            412: components["responses"]["version_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    putProductByGtin: {
        parameters: {
            query?: {
                dry_run?: boolean;
            };
            header?: {
                "If-Match"?: string;
                "If-None-Match"?: string;
                Prefer?: string;
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                gtin: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    category?: string;
                    data: Record<string, never>;
                    /** @enum {string} */
                    change_type?: "change" | "correction";
                    note?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Product"];
                        warnings?: components["schemas"]["Detail"][];
                        truncated?: boolean;
                        meta?: {
                            unchanged?: boolean;
                            dry_run?: boolean;
                        };
                    };
                };
            };
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Product"];
                        warnings?: components["schemas"]["Detail"][];
                        truncated?: boolean;
                        meta?: {
                            unchanged?: boolean;
                            dry_run?: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_limit.plan_required.read_only"];
            409: components["responses"]["gtin_taken.idempotency_in_progress"];
            412: components["responses"]["version_conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    syncProducts: {
        parameters: {
            query?: {
                dry_run?: boolean;
            };
            header?: {
                Prefer?: string;
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    items: {
                        category?: string;
                        data: Record<string, never>;
                        /**
                         * @default sku
                         * @enum {string}
                         */
                        match_by?: "sku" | "gtin";
                    }[];
                    /**
                     * @default sku
                     * @enum {string}
                     */
                    match_by?: "sku" | "gtin";
                    /** @enum {string} */
                    change_type?: "change" | "correction";
                    note?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SyncedProducts"];
                        warnings?: components["schemas"]["Detail"][];
                        truncated?: boolean;
                        meta?: components["schemas"]["DryRun"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_limit.plan_required.read_only"];
            409: components["responses"]["idempotency_in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    listChildren: {
        parameters: {
            query?: {
                level?: "batch" | "item" | "all";
                q?: string;
                status?: "all" | "active" | "archived";
                outdated?: boolean;
                lot?: string;
                serial?: string;
                page?: number;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ProductSummary"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required"];
            404: components["responses"]["not_found"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    createChildren: {
        parameters: {
            query?: {
                dry_run?: boolean;
            };
            header?: {
                Prefer?: string;
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewUnit"] | components["schemas"]["NewUnits"];
            };
        };
        responses: {
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Product"];
                        warnings?: components["schemas"]["Detail"][];
                        truncated?: boolean;
                        meta?: components["schemas"]["DryRun"];
                    } | {
                        data: components["schemas"]["CreatedUnits"];
                        warnings?: components["schemas"]["Detail"][];
                        truncated?: boolean;
                        meta?: components["schemas"]["DryRun"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_limit.plan_required.read_only"];
            404: components["responses"]["not_found"];
            409: components["responses"]["archived.idempotency_in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    updateChildren: {
        parameters: {
            query?: {
                dry_run?: boolean;
            };
            header?: {
                Prefer?: string;
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    items: {
                        lot?: string | null;
                        serial?: string | null;
                        data: {
                            [key: string]: unknown;
                        };
                    }[];
                    /** @enum {string} */
                    change_type?: "change" | "correction";
                    note?: string | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["UpdatedUnits"];
                        warnings?: components["schemas"]["Detail"][];
                        truncated?: boolean;
                        meta?: components["schemas"]["DryRun"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required.read_only"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    previewRefresh: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RefreshPreview"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required"];
            404: components["responses"]["not_found"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    refreshProduct: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Refreshed"];
                    };
                };
            };
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Refreshed"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required.read_only"];
            404: components["responses"]["not_found"];
            409: components["responses"]["idempotency_in_progress"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    getProductScans: {
        parameters: {
            query?: {
                days?: 7 | 30 | 90 | 365;
                include?: "units";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ProductScans"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required"];
            404: components["responses"]["not_found"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    getScans: {
        parameters: {
            query?: {
                days?: 7 | 30 | 90 | 365;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AccountScans"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Health"];
                    };
                };
            };
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Health"];
                    };
                };
            };
        };
    };
    getOpenapi: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
        };
    };
    listCategories: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CategorySummary"][];
                    };
                };
            };
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    getSchema: {
        parameters: {
            query?: {
                format?: "fields" | "json-schema";
            };
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                category: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CategoryFields"];
                    };
                    "application/schema+json": {
                        [key: string]: unknown;
                    };
                };
            };
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["plan_required"];
            404: components["responses"]["not_found"];
            422: components["responses"]["validation"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["unavailable"];
        };
    };
    onProductCreated: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "product.created";
                "X-Service-Signature": components["parameters"]["X-Service-Signature"];
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "product.created";
                    data: components["schemas"]["PassportEventData"];
                    /** Format: date-time */
                    sent_at: string;
                };
            };
        };
        responses: {
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onProductUpdated: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "product.updated";
                "X-Service-Signature": components["parameters"]["X-Service-Signature"];
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "product.updated";
                    data: components["schemas"]["PassportEventData"];
                    /** Format: date-time */
                    sent_at: string;
                };
            };
        };
        responses: {
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onProductArchived: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "product.archived";
                "X-Service-Signature": components["parameters"]["X-Service-Signature"];
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "product.archived";
                    data: components["schemas"]["PassportEventData"];
                    /** Format: date-time */
                    sent_at: string;
                };
            };
        };
        responses: {
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onProductRestored: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "product.restored";
                "X-Service-Signature": components["parameters"]["X-Service-Signature"];
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "product.restored";
                    data: components["schemas"]["PassportEventData"];
                    /** Format: date-time */
                    sent_at: string;
                };
            };
        };
        responses: {
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onScanMilestone: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "scan.milestone";
                "X-Service-Signature": components["parameters"]["X-Service-Signature"];
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "scan.milestone";
                    data: components["schemas"]["MilestoneEventData"];
                    /** Format: date-time */
                    sent_at: string;
                };
            };
        };
        responses: {
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCloneSuspected: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "scan.clone_suspected";
                "X-Service-Signature": components["parameters"]["X-Service-Signature"];
                "webhook-id": components["parameters"]["webhook-id"];
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "scan.clone_suspected";
                    data: components["schemas"]["CloneEventData"];
                    /** Format: date-time */
                    sent_at: string;
                };
            };
        };
        responses: {
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
