/// Every screen, one line for each.
enum ConsoleScreens {
    static func all(_ tools: ConsoleTools) -> [any ConsoleScreen] {
        [
            SignInScreen(tools: tools),
            SignOutScreen(tools: tools),
            InvitationScreen(tools: tools),
            ConfirmationScreen(tools: tools),
            ProfileScreen(tools: tools),
            OverviewScreen(tools: tools),
            UsersScreen(tools: tools),
            NewUserScreen(tools: tools),
            UserScreen(tools: tools),
            BulkChangeScreen(tools: tools),
            ImpersonationScreen(tools: tools),
            ImportScreen(tools: tools),
            ImportUploadScreen(tools: tools),
            ExportScreen(tools: tools),
            DiagnosisScreen(tools: tools),
            MethodsScreen(tools: tools),
            ProviderScreen(tools: tools),
            PoliciesScreen(tools: tools),
            DomainsScreen(tools: tools),
            TextMessagesScreen(tools: tools),
            TemplatesScreen(tools: tools),
            TenantsScreen(tools: tools),
            AuditScreen(tools: tools),
            AuditExportScreen(tools: tools),
            BackupsScreen(tools: tools),
            DevelopmentScreen(tools: tools),
            EventsScreen(tools: tools),
            EventStreamScreen(tools: tools),
            KeysScreen(tools: tools),
            ConnectScreen(tools: tools),
            OperatorsScreen(tools: tools),
            OperatorScreen(tools: tools),
        ]
    }
}
