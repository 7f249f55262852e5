<?php

// SimpleSAMLphp as an identity provider for tests. Tests/TestKit/SAML/SimpleSAMLServer.swift starts it, and says in the environment
// where its files are and how it signs.
$config = [
    'baseurlpath' => 'http://' . ($_SERVER['HTTP_HOST'] ?? 'localhost') . '/',
    'certdir' => getenv('IDP_FILES') . '/',
    'loggingdir' => getenv('IDP_FILES') . '/',
    'datadir' => getenv('IDP_FILES') . '/',
    'tempdir' => getenv('IDP_FILES') . '/',
    'metadatadir' => __DIR__ . '/metadata/',
    'attributenamemapdir' => '/etc/simplesamlphp/attributemap/',
    'secretsalt' => 'of tests',
    'auth.adminpassword' => 'of tests',
    'technicalcontact_email' => 'na@example.com',
    'timezone' => 'UTC',
    'logging.handler' => 'errorlog',
    'logging.level' => SimpleSAML\Logger::NOTICE,
    'showerrors' => true,
    'errorreporting' => false,
    'enable.saml20-idp' => true,
    'module.enable' => ['exampleauth' => true, 'core' => true, 'saml' => true],
    'store.type' => 'phpsession',
    'session.phpsession.savepath' => getenv('IDP_FILES'),
    // Everything is on one machine, without TLS.
    'session.cookie.secure' => false,
    'session.cookie.samesite' => null,
    'language.cookie.secure' => false,
    'language.cookie.samesite' => null,
    'metadata.sources' => [
        ['type' => 'flatfile'],
        // As the service publishes it.
        ['type' => 'xml', 'file' => getenv('IDP_FILES') . '/service.xml'],
    ],
];
